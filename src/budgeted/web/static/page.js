// What the pages do by themselves: say aloud what changed, keep the focus in a sensible place,
// follow a study live, and never take away what somebody is typing.
"use strict";

// The path below which everything is, behind a proxy; otherwise nothing.
const root = document.body.dataset.root || "";

const announce = (words) => {
  const place = document.getElementById("announcer");
  const shown = document.getElementById("done");
  if (place) place.textContent = words;
  if (shown) {
    shown.textContent = words;
    shown.hidden = !words;
  }
};

// The server sends {"say": {"words": …}} along with an answer.
document.addEventListener("say", (event) => announce(event.detail.words));

// Live: another person's events arrive as server-sent events
let seen = 0;
let soon = null;

const follow = (place) => {
  seen = Number(place.dataset.seq || 0);
  const source = new EventSource(place.dataset.live);
  const state = document.getElementById("live-state");
  const show = (words) => { if (state) state.textContent = words; };
  source.addEventListener("open", () => show("Live"));
  source.addEventListener("error", () => show("Connection lost, trying again…"));
  source.addEventListener("changed", (event) => {
    const news = JSON.parse(event.data);
    if (news.seq <= seen) return;
    seen = news.seq;
    if (news.words) announce(news.by ? `${news.by}: ${news.words}` : news.words);
    soon = soon || setTimeout(() => {
      soon = null;
      htmx.trigger(document.body, "news", { seq: seen });
    }, 150);
  });
  addEventListener("pagehide", () => source.close());
};

document.addEventListener("news", (event) => {
  if (event.detail && event.detail.seq) seen = Math.max(seen, event.detail.seq);
});

// Cards of requests: those still pending stay exactly as they are
const isTouched = (card) =>
  (card.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")) ||
  card.querySelector("details[open]") !== null ||
  [...card.querySelectorAll("input[type=text], textarea")].some((each) => each.value !== each.defaultValue);

const reconcile = (list, html) => {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const wanted = new Map([...fresh.querySelectorAll(".card")].map((card) => [card.id, card]));
  for (const card of [...list.querySelectorAll(".card")]) {
    if (wanted.has(card.id)) {
      wanted.delete(card.id);
    } else if (card.querySelector(".htmx-request")) {
      continue; // this very window has just settled it; the answer is on its way
    } else if (isTouched(card) && !card.classList.contains("gone")) {
      setAside(card);
    } else if (!card.classList.contains("gone")) {
      const next = card.nextElementSibling || card.previousElementSibling;
      const lost = card.contains(document.activeElement);
      card.remove();
      if (lost) focusOn(next ? next.querySelector("h3") : document.getElementById("ask-button"));
    }
  }
  for (const card of wanted.values()) {
    card.classList.add("new");
    list.append(card);
    htmx.process(card);
  }
  showEmpty(list);
};

const setAside = (card) => {
  card.classList.add("gone");
  for (const each of card.querySelectorAll("button, input, select")) each.disabled = true;
  const note = document.createElement("p");
  note.className = "notice";
  note.textContent = "Somebody else has just settled this request. ";
  const away = document.createElement("button");
  away.type = "button";
  away.className = "quiet small";
  away.textContent = "Put this card away";
  away.addEventListener("click", () => {
    const list = card.parentElement;
    card.remove();
    showEmpty(list);
    focusOn(list.querySelector(".card h3") || document.getElementById("ask-button"));
  });
  note.append(away);
  card.prepend(note);
  away.focus();
};

const showEmpty = (list) => {
  const empty = document.getElementById("no-requests");
  if (empty) empty.hidden = list.querySelector(".card") !== null;
};

const focusOn = (place) => {
  if (!place) return;
  if (!place.matches("a, button, input, select, textarea, summary, [tabindex]")) {
    place.tabIndex = -1;
  }
  place.focus();
};

document.addEventListener("htmx:afterRequest", (event) => {
  // Not detail.elt: of a form that is gone htmx names the parent.
  const { requestConfig, xhr } = event.detail;
  const list = requestConfig.elt;
  if (list.id === "requests" && xhr.status === 200) reconcile(list, xhr.responseText);
});

// Focus: when what had it is gone, it goes to the next card, or where the form says
const after = new WeakMap();
let held = null;

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt.contains(document.activeElement)) held = document.activeElement;
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, requestConfig, xhr } = event.detail;
  if (xhr.status !== 200) return;
  if (target.classList.contains("card")) {
    after.set(target, target.nextElementSibling || target.previousElementSibling || "#ask-button");
  } else if (requestConfig.elt.dataset.focusAfter) {
    after.set(target, requestConfig.elt.dataset.focusAfter);
  }
});

document.addEventListener("htmx:afterRequest", (event) => {
  const { target } = event.detail;
  const given = after.get(target);
  const place = typeof given === "string" ? document.querySelector(given) : given;
  after.delete(target);
  const list = document.getElementById("requests");
  if (list) showEmpty(list);
  if (place && place.isConnected) {
    focusOn(place.classList.contains("card") ? place.querySelector("h3") : place);
  } else if (held && held.isConnected && document.activeElement === document.body) {
    held.focus(); // a button that was switched off for a moment lost it
  }
});

// What stands before the pages (the door, the limit of sizes) refuses in JSON, or leads to the
// log-in; neither belongs into the middle of a page.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, target } = event.detail;
  const outside = xhr.status === 401 || new URL(xhr.responseURL || location.href).pathname === `${root}/login`;
  const isJson = (xhr.getResponseHeader("Content-Type") || "").startsWith("application/json");
  if (!outside && !isJson) return;
  event.detail.shouldSwap = false;
  const words = outside ? "You are not logged in any more. " : JSON.parse(xhr.responseText).error || "This did not work.";
  const place = target.matches(".card") ? target.querySelector("[id$=-problem]") : document.getElementById("problem");
  if (place) {
    const box = document.createElement("div");
    box.className = "problem";
    box.textContent = words;
    if (outside) {
      const door = document.createElement("a");
      door.href = `${root}/login?next=${encodeURIComponent(location.pathname.slice(root.length))}`;
      door.textContent = "Log in again";
      box.append(door);
    }
    place.replaceChildren(box);
  }
  announce(words);
});

document.addEventListener("htmx:sendError", () => announce("The server does not answer. Nothing was changed; try again."));

// A form that was carried out is empty again; one that was refused keeps what was typed.
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.detail.requestConfig.elt;
  if (form.matches("form[data-reset]") && event.detail.xhr.status === 200) {
    form.reset();
    for (const each of form.querySelectorAll(".problem")) each.remove();
    const sheet = form.closest("details");
    if (sheet && form.dataset.reset === "close") {
      sheet.open = false;
      focusOn(sheet.querySelector("summary"));
    }
  }
});

// Small things
const addRow = (button) => {
  const rows = document.querySelector(button.dataset.addRow);
  const pattern = document.querySelector(button.dataset.pattern);
  const row = pattern.content.firstElementChild.cloneNode(true);
  const number = Number(rows.dataset.next || rows.children.length);
  rows.dataset.next = number + 1;
  for (const each of row.querySelectorAll("[id], [for]")) {
    if (each.id) each.id = each.id.replace("NEW", number);
    if (each.htmlFor) each.htmlFor = each.htmlFor.replace("NEW", number);
  }
  rows.append(row);
  row.querySelector("input").focus();
};

const removeRow = (button) => {
  const row = button.closest("[data-row]");
  const rows = row.parentElement;
  const neighbour = row.nextElementSibling || row.previousElementSibling;
  row.remove();
  focusOn((neighbour && neighbour.querySelector("input")) || document.querySelector(`[data-add-row="#${rows.id}"]`));
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.addRow) addRow(button);
  if ("removeRow" in button.dataset) removeRow(button);
  if ("print" in button.dataset) print();
});

// The first line of a chosen table fills the list from which its columns are picked.
document.addEventListener("change", async (event) => {
  const input = event.target;
  if (!input.matches || !input.matches("input[type=file][data-columns]") || !input.files[0]) return;
  const head = await input.files[0].slice(0, 65536).text();
  const line = head.split(/\r?\n/, 1)[0].replace(/^\uFEFF/, "");
  const names = line.split(",").map((name) => name.trim().replace(/^"|"$/g, ""));
  const list = document.querySelector(input.dataset.columns);
  list.replaceChildren(...names.map((name) => Object.assign(document.createElement("option"), { value: name })));
});

// Sliders and the numbers beside them say the same; two shares always add up to one.
document.addEventListener("input", (event) => {
  const moved = event.target;
  if (!moved.matches || !moved.matches("[data-share]")) return;
  const partners = document.querySelectorAll(`[data-share="${moved.dataset.share}"]`);
  for (const each of partners) if (each !== moved) each.value = moved.value;
  const all = [...new Set([...document.querySelectorAll("[data-share]")].map((each) => each.dataset.share))];
  if (all.length !== 2 || moved.value === "") return;
  const other = all.find((each) => each !== moved.dataset.share);
  const rest = Math.max(0, 1 - Number(moved.value));
  for (const each of document.querySelectorAll(`[data-share="${other}"]`)) each.value = Number(rest.toFixed(4));
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const sheet = event.target.closest && event.target.closest("details.actor[open]");
  if (sheet) {
    sheet.open = false;
    sheet.querySelector("summary").focus();
  }
});

document.addEventListener("DOMContentLoaded", () => {
  const live = document.querySelector("[data-live]");
  if (live) follow(live);
});
