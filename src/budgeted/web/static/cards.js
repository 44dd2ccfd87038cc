// What is due, visit by visit. A visit has a card for each of its requests, and each stays where it
// is. One that is settled, by whomever, turns grey in its place and says what was recorded; new ones
// come at the end, of their visit or of the list. Only a press puts settled cards away.
"use strict";

const isTouched = (card) =>
  (card.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")) ||
  card.querySelector("details.more[open]") !== null ||
  [...card.querySelectorAll("input[type=text], textarea")].some((each) => each.value !== each.defaultValue);

const parse = (html) => new DOMParser().parseFromString(html, "text/html");
const cardsIn = (page) => new Map([...page.querySelectorAll(".card")].map((card) => [card.id, card]));

const isSettled = (card) => card.classList.contains("settled");

// What a card says to who looks at it; an Undo takes back what it says.
const wordsOf = (card) => [".above", ".outcome", ".because"].map((each) => card.querySelector(each)?.textContent).join("|");

// Cards of which a press has just been refused, until it is known what became of the request
const refused = new WeakSet();

// A card takes the place of another of the same size; it takes nothing for a moment, because a
// click that comes now was meant for what stood there.
const replaceCard = (old, fresh) => {
  const focused = old.contains(document.activeElement);
  fresh.style.minHeight = `${old.offsetHeight}px`;
  // A press that was refused because somebody else had settled the request still wants its answer;
  // anything else that stood in the card is over.
  if (isSettled(fresh) && refused.has(old)) fresh.querySelector(".answer").append(...old.querySelectorAll(".answer > .problem"));
  old.replaceWith(fresh);
  htmx.process(fresh);
  hush(fresh);
  if (anchor === old) anchor = fresh;
  if (focused) focusOn(fresh.querySelector("h4"));
};

// Somebody is typing in a card that a colleague settles: what was typed stays to be read, where it
// is. What became of the request is said at the top, in the place of the reason and the values.
const setAside = (old, fresh) => {
  const [heading, because] = [old.querySelector("h4"), old.querySelector(".because")];
  const below = old.querySelector("form details.more");
  const stood = below.getBoundingClientRect().top;
  heading.style.minHeight = `${heading.offsetHeight}px`;
  because.style.height = "0px";
  old.classList.add("settled", "aside");
  for (const each of old.querySelectorAll("button, input, select, textarea")) each.disabled = true;
  old.querySelector(".above").replaceChildren(...fresh.querySelector(".above").childNodes);
  heading.replaceChildren(...fresh.querySelector("h4").childNodes);
  const note = document.createElement("span");
  note.append("Somebody else has just settled this request: ", fresh.querySelector(".because").textContent);
  because.replaceChildren(note);
  because.style.height = `${stood - below.getBoundingClientRect().top}px`;
};

// What a visit costs is divided anew when one of its requests is settled: the amounts of the others
// change, and nothing else does.
const reprice = (card, fresh) => {
  const amounts = fresh.querySelectorAll("[data-amount]");
  for (const [at, each] of card.querySelectorAll("[data-amount]").entries()) {
    if (amounts[at] && each.textContent !== amounts[at].textContent) each.textContent = amounts[at].textContent;
  }
  const [price, now] = [card, fresh].map((each) => each.querySelector("input[name=cost]"));
  if (price && now && price.placeholder !== now.placeholder) price.placeholder = now.placeholder;
};

const arrive = (place, into) => {
  place.classList.add("new");
  into.append(place);
  htmx.process(place);
  hush(place);
};

const reconcile = (list, html) => {
  const page = parse(html);
  const wanted = cardsIn(page);
  for (const card of list.querySelectorAll(".card")) {
    const fresh = wanted.get(card.id);
    wanted.delete(card.id);
    if (!fresh || card.querySelector("form.htmx-request")) continue; // its own answer is on its way
    if (!isSettled(card) && !isSettled(fresh)) {
      reprice(card, fresh);
      refused.delete(card);
      continue;
    }
    const aside = card.classList.contains("aside");
    if (isSettled(card) && isSettled(fresh) && !aside && wordsOf(card) === wordsOf(fresh)) continue;
    if (isSettled(fresh) && (aside || isTouched(card))) setAside(card, fresh);
    else replaceCard(card, fresh);
    refused.delete(card);
  }
  const known = new Map([...list.querySelectorAll(".visit")].map((visit) => [visit.dataset.case, visit]));
  const due = new Set();
  for (const visit of page.querySelectorAll(".visit")) {
    const mine = known.get(visit.dataset.case);
    due.add(mine);
    if (!mine) {
      arrive(visit, list);
      continue;
    }
    for (const card of visit.querySelectorAll(".card")) if (wanted.has(card.id)) arrive(card, mine.querySelector(".due"));
    say(mine, visit.querySelector(".due-words").textContent);
  }
  for (const visit of known.values()) if (!due.has(visit)) say(visit, "Nothing is due any more.");
  const more = page.getElementById("more-visits");
  const place = document.getElementById("more-visits");
  if (more && place && place.textContent !== more.textContent) {
    place.hidden = more.hidden;
    place.replaceChildren(...more.childNodes);
  }
  showState(list);
  if (focusBehind && focusBehind.nextElementSibling) {
    focusOn(focusBehind.nextElementSibling.querySelector("h3"));
    focusBehind = null;
  }
};

// Whoever wanted more visits goes on with the first of them.
let focusBehind = null;

const say = (visit, words) => {
  const place = visit.querySelector(".due-words");
  if (place.textContent !== words) place.textContent = words;
};

const showState = (list) => {
  const empty = document.getElementById("no-requests");
  const away = document.getElementById("put-away");
  for (const visit of list.querySelectorAll(".visit")) {
    visit.classList.toggle("settled", visit.querySelector(".card:not(.settled)") === null);
  }
  if (empty) empty.hidden = list.querySelector(".card") !== null;
  if (away) away.disabled = list.querySelector(".card.settled") === null;
};

const putAway = (list) => {
  for (const card of list.querySelectorAll(".card.settled")) card.remove();
  for (const visit of list.querySelectorAll(".visit:not(:has(.card))")) visit.remove();
  showState(list);
  focusOn(document.getElementById("ask-button") || list.querySelector("h3"));
  htmx.trigger(list, "more"); // there is room for others
};

const showMore = (list) => {
  list.dataset.visits = Number(list.dataset.visits) + 12;
  focusBehind = list.querySelector(".visit:last-child");
  htmx.trigger(list, "more");
};

document.addEventListener("click", (event) => {
  if (event.target.closest && event.target.closest("[data-put-away]")) putAway(document.getElementById("requests"));
  if (event.target.id === "show-more") {
    event.preventDefault();
    showMore(document.getElementById("requests"));
  }
});

// The server is told which cards stand here, so that it can say what became of them.
document.addEventListener("htmx:configRequest", (event) => {
  const list = event.detail.elt;
  if (list.id !== "requests") return;
  event.detail.parameters.shown = [...list.querySelectorAll(".card")].map((card) => card.id.slice("card-".length)).join(",");
  event.detail.parameters.cards = list.dataset.visits;
});

// What a card was told before goes when it has another answer; what stands below it stays.
document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt, verb } = event.detail.requestConfig;
  const card = verb !== "get" && elt.closest(".card");
  if (card) card.style.minHeight = `${card.offsetHeight}px`;
});

document.addEventListener("htmx:afterRequest", (event) => {
  const { requestConfig, xhr } = event.detail;
  const from = requestConfig.elt;
  if (requestConfig.verb === "get" && from.id !== "requests") return;
  // A refusal may be because somebody else settled it while this was on its way.
  if (xhr.status >= 400 && from.closest(".card")) {
    from.closest(".card").style.minHeight = "";
    refused.add(from.closest(".card"));
    htmx.trigger(document.body, "news", { seq: seen });
  }
  if (xhr.status !== 200) return;
  if (from.id === "requests") reconcile(from, xhr.responseText);
  const card = from.closest(".card");
  const fresh = card && cardsIn(parse(xhr.responseText)).get(card.id);
  if (fresh) {
    refused.delete(card);
    replaceCard(card, fresh);
    showState(document.getElementById("requests"));
  }
});

// In a large study a price takes long: it is worked out when it is asked for, and forgotten once it
// may be another one.
document.addEventListener("news", () => {
  for (const place of document.querySelectorAll("#price[data-passing]")) place.replaceChildren();
});
