// Nobody's slip is recorded: a second click, a click that was meant for what stood there a moment
// ago, a form that is sent again. (The server knows a form by its key; here is what it cannot see.)
"use strict";

const QUIET = 1200; // milliseconds: longer than between the two clicks of a double click

// Quiet: what was just pressed, or has just appeared, takes nothing for a moment
const changedAt = new WeakMap();
const underWay = new WeakSet();
const submitters = new WeakMap();
const origins = new WeakMap();

const hush = (place) => {
  changedAt.set(place, performance.now());
  const buttons = [...place.querySelectorAll("button")];
  for (const each of buttons) each.setAttribute("aria-disabled", "true");
  setTimeout(() => {
    if (performance.now() - changedAt.get(place) < QUIET) return; // hushed once more
    for (const each of buttons) each.removeAttribute("aria-disabled");
  }, QUIET + 5);
};

// When the finger moved, which is not when a busy page gets round to it
let pressedAt = 0;
for (const each of ["pointerdown", "click", "keydown"]) {
  document.addEventListener(each, (event) => {
    if (event.isTrusted) pressedAt = event.timeStamp;
  }, { passive: true, capture: true });
}

const isQuiet = (form) => {
  if (underWay.has(form)) return true;
  for (let place = form; place; place = place.parentElement) {
    if (pressedAt - (changedAt.get(place) ?? -Infinity) < QUIET) return true;
  }
  return false;
};

const whole = (form) => form.closest(".card, dialog") || form;
const originOf = (form) => origins.get(form.closest("dialog"));

// Where the answer to a form is shown, in red if it is a refusal
const answerOf = (form) => {
  const card = form.closest && form.closest(".card");
  return (card && document.getElementById(`${card.id}-problem`)) || (form.querySelector && form.querySelector(".answer")) ||
    (form.closest && form.closest("section, dialog, .panel")?.querySelector(".answer")) || document.getElementById("problem");
};

const guard = (event, form) => {
  if (isQuiet(form)) {
    event.preventDefault();
    event.stopImmediatePropagation();
    announce("Not taken: that came too soon after the last press. Press again if you mean it.");
    return;
  }
  hush(whole(form));
};

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method === "get" || form.method === "dialog") return;
  submitters.set(form, event.submitter);
  if (event.submitter && event.submitter.hasAttribute("hx-post")) return; // its click was guarded
  guard(event, form);
  if (!event.defaultPrevented || form.hasAttribute("hx-post")) rememberKey(form);
}, true);

document.addEventListener("click", (event) => {
  const button = event.target.closest && event.target.closest("button[hx-post]");
  if (button) guard(event, button.form || button);
}, true);

// A key that is held down is no second press.
document.addEventListener("keydown", (event) => {
  if (event.repeat && (event.key === "Enter" || event.key === " ") && event.target.matches("button, summary, a, input:not([type=text])")) {
    event.preventDefault();
  }
}, true);

document.addEventListener("htmx:beforeRequest", (event) => underWay.add(event.detail.requestConfig.elt));
document.addEventListener("htmx:afterRequest", (event) => {
  const { elt, verb } = event.detail.requestConfig;
  underWay.delete(elt);
  if (verb !== "get" && elt.isConnected) hush(whole(elt.form || elt));
});

// Keys: a form that was carried out is given a new one by the answer
document.addEventListener("fresh", (event) => {
  const form = event.target.closest("form");
  for (const each of [form, form && originOf(form)]) {
    if (each && each.elements.key) each.elements.key.value = event.detail.key;
  }
});

// A form that led to another page keeps its key for who comes back to it and sends it again.
const rememberKey = (form) => {
  if (!form.id || !form.elements.key) return;
  const keys = { ...(history.state && history.state.keys), [form.id]: form.elements.key.value };
  history.replaceState({ ...history.state, keys }, "");
};

document.addEventListener("DOMContentLoaded", () => {
  const [how] = performance.getEntriesByType("navigation");
  if (!how || how.type !== "back_forward" || !history.state || !history.state.keys) return;
  for (const [id, key] of Object.entries(history.state.keys)) {
    const form = document.getElementById(id);
    if (form && form.elements.key) form.elements.key.value = key;
  }
});

// Nobody answers: it is not known whether it was done. Sent again with its key, it is done once.
const sayUnknown = (event) => {
  const form = event.detail.requestConfig.elt;
  if (event.detail.requestConfig.verb === "get") return;
  const words = "The server does not answer, so it is not known whether this was recorded. ";
  const again = document.createElement("button");
  again.type = "button";
  again.className = "quiet small";
  again.textContent = "Try again";
  again.addEventListener("click", () => {
    changedAt.delete(whole(form));
    const pressed = submitters.get(form);
    if (pressed && pressed.isConnected) pressed.click(); // which one it was is a part of the form
    else if (form.matches("form")) form.requestSubmit();
    else form.click();
  });
  const place = answerOf(form);
  if (place) showProblem(place, words, again, document.createTextNode(" sends it once more; it is not recorded twice."));
  announce(words, true);
};
document.addEventListener("htmx:sendError", sayUnknown);
document.addEventListener("htmx:timeout", sayUnknown);

// What cannot be undone is confirmed; the answer that asks comes with the sentence
document.addEventListener("ask-first", (event) => {
  const dialog = document.getElementById("confirm");
  const form = event.target.closest("form");
  if (form && !dialog.contains(form)) origins.set(dialog, form);
  if (!dialog.open) dialog.showModal();
  hush(dialog);
  const leave = dialog.querySelector("[data-leave]");
  leave.addEventListener("click", (pressed) => { pressed.preventDefault(); dialog.close(); });
  leave.focus();
});

document.addEventListener("htmx:afterRequest", (event) => {
  const dialog = event.detail.requestConfig.elt.closest && event.detail.requestConfig.elt.closest("dialog");
  const { xhr } = event.detail;
  if (!dialog || !xhr.status || xhr.getResponseHeader("HX-Trigger-After-Swap")) return;
  if (xhr.status === 200 && !xhr.getResponseHeader("HX-Redirect")) dialog.close();
  if (xhr.status >= 400) dialog.close(); // the refusal stands beside the form
});

// Still: what is under the pointer stays there when something above it grows or shrinks
let anchor = null;
let anchoredAt = 0;

let byTouch = matchMedia("(hover: none)").matches;

const holdOn = (place) => {
  anchor = place && place.closest ? place.closest(".card, form, details, section, main > *") : null;
  anchoredAt = anchor ? anchor.getBoundingClientRect().top : 0;
};
// A finger is nowhere until it touches: then the middle of the window is held.
const holdMiddle = () => holdOn(document.elementFromPoint(innerWidth / 2, innerHeight / 2));

for (const each of ["pointermove", "pointerdown"]) {
  document.addEventListener(each, (event) => {
    byTouch = event.pointerType === "touch";
    holdOn(event.target);
  }, { passive: true, capture: true });
}
addEventListener("scroll", () => {
  if (byTouch || !anchor) holdMiddle();
  else anchoredAt = anchor.getBoundingClientRect().top;
}, { passive: true });

document.addEventListener("DOMContentLoaded", () => {
  const main = document.getElementById("main");
  const still = new ResizeObserver(() => {
    if (!anchor || !anchor.isConnected) return;
    const moved = anchor.getBoundingClientRect().top - anchoredAt;
    if (Math.abs(moved) < 1) return;
    scrollBy({ top: moved, behavior: "instant" });
    const left = anchor.getBoundingClientRect().top - anchoredAt;
    if (left < -1) main.style.paddingTop = `${parseFloat(getComputedStyle(main).paddingTop) - left}px`;
    anchoredAt = anchor.getBoundingClientRect().top;
  });
  if (byTouch) holdMiddle();
  still.observe(main);
  for (const each of main.children) still.observe(each);
});
