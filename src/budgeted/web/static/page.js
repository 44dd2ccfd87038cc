// What the pages do by themselves: say aloud what changed, keep the focus in a sensible place,
// follow a study live, and never take away what somebody is typing.
"use strict";

// The path below which everything is, behind a proxy; otherwise nothing.
const root = document.body.dataset.root || "";

// What happened, said aloud and shown within the window; nothing can be pressed in it, so that it
// never catches a click. Failures are red, and stay longer.
let shown = null;

// It stands as low in the window as it can without covering a card, a button or the money; where
// that cannot be, at least nothing that can be pressed in a card, or is said there.
const COVER_NOTHING = ".card, #money dl, main :is(button, .button, summary, input, select)";
const COVER_NO_BUTTON = ".card :is(button, summary, input, select, .problem), .card.aside .because";

const freePlace = (width, height, selector) => {
  const taken = [...document.querySelectorAll(selector)].map((each) => each.getBoundingClientRect())
    .filter((each) => each.height && each.bottom > 0 && each.top < innerHeight);
  const isFree = (left, top) => !taken.some((each) =>
    each.left < left + width + 4 && each.right > left - 4 && each.top < top + height + 4 && each.bottom > top - 4);
  for (let top = innerHeight - height - 8; top >= 4; top -= 4) {
    for (const left of [(innerWidth - width) / 2, innerWidth - width - 8, 8]) if (isFree(left, top)) return [left, top];
  }
  return null;
};

const placeToast = () => {
  const toast = document.getElementById("toast");
  if (!toast || !toast.className) return;
  const { width, height } = toast.getBoundingClientRect();
  const [left, top] = freePlace(width, height, COVER_NOTHING) || freePlace(width, height, COVER_NO_BUTTON) ||
    [(innerWidth - width) / 2, innerHeight - height - 8];
  toast.style.left = `${left}px`;
  toast.style.top = `${top}px`;
};
for (const each of ["scroll", "resize"]) addEventListener(each, placeToast, { passive: true });
document.addEventListener("toggle", placeToast, true);

const announce = (words, failed = false) => {
  const place = document.getElementById("announcer");
  const toast = document.getElementById("toast");
  if (place) place.textContent = words;
  if (!toast) return;
  toast.textContent = words;
  toast.className = words ? (failed ? "failed" : "fine") : "";
  placeToast();
  clearTimeout(shown);
  shown = setTimeout(() => { toast.className = ""; }, failed ? 12000 : 6000);
};

// The server sends {"say": {"words": …}} along with an answer.
document.addEventListener("say", (event) => announce(event.detail.words, Boolean(event.detail.failed)));

// Live: another person's events arrive as server-sent events
let seen = 0;
let soon = null;

const showLive = (words, failed = false) => {
  const state = document.getElementById("live-state");
  if (!state) return;
  state.textContent = words;
  state.classList.toggle("failed", failed);
};

const follow = (place) => {
  seen = Math.max(seen, Number(place.dataset.seq || 0));
  const address = new URL(place.dataset.live, location.href);
  address.searchParams.set("after", seen);
  const source = new EventSource(address);
  source.addEventListener("open", () => {
    if (isOut) welcomeBack();
    showLive("Live");
  });
  source.addEventListener("error", async () => {
    if (leaving) return;
    showLive("Connection lost, trying again…", true);
    // A refusal ends the stream for good, and the browser does not say which it was.
    if (await isRefused()) sayOut();
    if (source.readyState === EventSource.CLOSED) setTimeout(() => follow(place), 2000);
  });
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
  source.addEventListener("computed", (event) => {
    htmx.trigger(document.body, "computed", JSON.parse(event.data));
  });
  source.addEventListener("gone", (event) => {
    leaving = true; // there is nothing to follow any more
    source.close();
    showLive("Deleted", true);
    announce(JSON.parse(event.data).words);
  });
  addEventListener("pagehide", () => { leaving = true; source.close(); });
};

let leaving = false;

document.addEventListener("news", (event) => {
  if (event.detail && event.detail.seq) seen = Math.max(seen, event.detail.seq);
});

const focusOn = (place) => {
  if (!place) return;
  if (!place.matches("a, button, input, select, textarea, summary, [tabindex]")) {
    place.tabIndex = -1;
  }
  place.focus();
};

// Focus: a part that is fetched at a button's wish gets it, where the form says so
document.addEventListener("htmx:afterSwap", (event) => {
  const { requestConfig, xhr } = event.detail;
  const wanted = requestConfig.elt.dataset && requestConfig.elt.dataset.focusAfter;
  if (wanted && xhr.status === 200) focusOn(document.querySelector(wanted));
});

// Logged out: said in red, with what to do; nothing that was typed is lost
let isOut = false;

const isRefused = async () => {
  try {
    const answer = await fetch(location.pathname, { method: "HEAD", redirect: "manual" });
    return answer.type === "opaqueredirect" || answer.status === 401 || answer.status === 403;
  } catch {
    return false; // nobody answers at all
  }
};

// In one place: below what was pressed last, or where problems of the page stand.
const sayOut = (pressed = null) => {
  isOut = true;
  showLive("Not logged in", true);
  const said = document.querySelector(".answer .problem[data-out]");
  if (said && !pressed) return;
  if (said) said.remove();
  const place = pressed || document.getElementById("problem");
  const words = "You are not logged in any more, so nothing was recorded. ";
  if (place) {
    const door = document.createElement("a");
    door.href = `${root}/login?next=${encodeURIComponent(location.pathname.slice(root.length))}`;
    door.target = "_blank";
    door.rel = "opener";
    door.textContent = "Log in again in another tab";
    showProblem(place, words, door, document.createTextNode(", then come back: what you typed stays."));
  }
  announce(words, true);
};

// After the log-in in another tab this page goes on.
const welcomeBack = async () => {
  try {
    const answer = await fetch(location.href, { redirect: "manual" });
    if (answer.status !== 200) return;
    isOut = false;
    for (const each of document.querySelectorAll(".answer .problem[data-out]")) each.remove();
    announce("You are logged in again; press the button once more.");
    htmx.trigger(document.body, "news", { seq: seen });
  } catch {
    return; // still gone
  }
};

document.addEventListener("visibilitychange", () => { if (isOut && !document.hidden) welcomeBack(); });
addEventListener("focus", () => { if (isOut) welcomeBack(); });

const showProblem = (place, words, ...more) => {
  const box = document.createElement("div");
  box.className = "problem";
  box.setAttribute("role", "alert");
  if (isOut) box.dataset.out = "";
  const line = document.createElement("p");
  line.append(words, ...more);
  box.append(line);
  place.replaceChildren(box);
};

// What stands before the pages (the door, the limit of sizes) refuses in JSON, or leads to the
// log-in; neither belongs into the middle of a page.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail;
  const outside = xhr.status === 401 || new URL(xhr.responseURL || location.href).pathname === `${root}/login`;
  const isJson = (xhr.getResponseHeader("Content-Type") || "").startsWith("application/json");
  if (!outside && !isJson && xhr.status !== 403) return;
  event.detail.shouldSwap = false;
  const place = answerOf(requestConfig.elt);
  if (outside) {
    sayOut(place);
  } else if (xhr.status === 403) {
    isOut = true;
    if (place) showProblem(place, "This page was open for long, or the server was started anew. It was not done; press again.");
    announce("Not done: press again.", true);
    welcomeBack();
  } else {
    const words = JSON.parse(xhr.responseText).error || "This did not work.";
    if (place) showProblem(place, words);
    announce(words, true);
  }
});

// What a form was told before is over once it has another answer.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { requestConfig, target } = event.detail;
  if (requestConfig.verb === "get") return;
  const card = requestConfig.elt.closest(".card");
  for (const each of card ? card.querySelectorAll(".answer") : [answerOf(requestConfig.elt)]) {
    if (each && each !== target) each.replaceChildren();
  }
});

// A form that was carried out is empty again; one that was refused keeps what was typed.
document.addEventListener("htmx:afterRequest", (event) => {
  const { requestConfig, xhr } = event.detail;
  const form = requestConfig.elt.closest("dialog") ? originOf(requestConfig.elt) : requestConfig.elt;
  if (form && form.matches("form[data-reset]") && xhr.status === 200 && !xhr.getResponseHeader("HX-Trigger-After-Swap")) {
    const { key } = form.elements;
    const held = key && key.value;
    form.reset();
    if (key) key.value = held;
  }
});

// Small things
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("print" in button.dataset) print();
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
