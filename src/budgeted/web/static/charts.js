// Draws every element with data-chart: the address of a Vega-Lite dictionary. No eval (ast), no
// inline styles, no tooltip library; colours come from the style sheet, so dark pages work too.
// data-choice names the fields that belong to it, data-when what must be there before. A chart is
// fetched, and the library loaded, when it comes into view: most of the weight of a page is that.
// data-paper is black on white and waits for what is new, to be printed and saved.
"use strict";

const libraries = document.currentScript.dataset.libraries.trim().split(/\s+/);
let loaded = null;

const load = (address) => new Promise((done, failed) => {
  const script = document.createElement("script");
  script.src = address;
  script.onload = done;
  script.onerror = () => failed(new Error("the library that draws charts did not come"));
  document.head.append(script);
});

const loadLibraries = () => {
  loaded = loaded || libraries.reduce((before, each) => before.then(() => load(each)), Promise.resolve());
  loaded.catch(() => { loaded = null; });
  return loaded;
};

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const look = () => ({
  background: "transparent",
  font: getComputedStyle(document.body).fontFamily,
  axis: {
    labelColor: colour("--ink"), titleColor: colour("--soft"), gridColor: colour("--line"),
    domainColor: colour("--edge"), tickColor: colour("--edge"), titleFontWeight: "normal",
    labelFontSize: 12, titleFontSize: 12,
  },
  legend: { labelColor: colour("--ink"), titleColor: colour("--soft"), labelFontSize: 12 },
  title: { color: colour("--ink"), subtitleColor: colour("--soft"), fontSize: 14 },
  text: { color: colour("--ink") },
});

let tip = null;

const tooltip = (handler, event, item, value) => {
  if (!tip) {
    tip = document.createElement("div");
    tip.className = "tip";
    document.body.append(tip);
  }
  tip.hidden = value === null || value === undefined || value === "";
  if (tip.hidden) return;
  tip.textContent = typeof value === "object"
    ? Object.entries(value).map(([name, each]) => `${name}: ${each}`).join("\n")
    : String(value);
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
};

const addressOf = (place) => {
  const address = new URL(place.dataset.chart, location.href);
  const choices = place.dataset.choice ? document.querySelectorAll(place.dataset.choice) : [];
  for (const each of choices) address.searchParams.set(each.name, each.value);
  if (!("paper" in place.dataset)) address.searchParams.set("latest", "true");
  return address;
};

const RETRY = 5000;

// What is computed in the background is shown as it was computed last; this says so.
const sayAge = (place, about = {}) => {
  const words = [about.among, about.behind].filter(Boolean).join(". ");
  let note = place.querySelector(".chart-note");
  if (!note) {
    note = document.createElement("p");
    note.className = "chart-note soft";
  }
  for (const waiting of place.querySelectorAll(":scope > p:not(.chart-note)")) waiting.remove();
  note.textContent = words;
  note.hidden = !words;
  place.append(note);
  place.toggleAttribute("data-behind", Boolean(about.behind));
  clearTimeout(place.retry);
  if (about.behind) place.retry = setTimeout(() => draw(place), RETRY);
};

const draw = async (place) => {
  if (place.dataset.when && !document.querySelector(place.dataset.when)) return;
  if (!place.inView) return;
  const turn = (place.turn = (place.turn || 0) + 1);
  try {
    const [answer] = await Promise.all([
      fetch(addressOf(place), { headers: { Accept: "application/json" } }),
      loadLibraries(),
    ]);
    if (!answer.ok) throw new Error((await answer.json()).error || answer.statusText);
    const figure = await answer.json();
    if (turn !== place.turn || !place.isConnected) return;
    if (answer.status === 202) return sayAge(place, figure.usermeta);
    delete figure.background;
    for (const layer of figure.layer || []) {
      if (!("paper" in place.dataset) && layer.mark && layer.mark.color === "#333333") layer.mark.color = colour("--soft");
    }
    if (figure.width !== undefined && figure.width !== "container" && "fit" in place.dataset) figure.width = "container";
    const drawing = document.createElement("div");
    drawing.className = "drawing";
    place.append(drawing);
    const done = await vegaEmbed(drawing, figure, {
      actions: false, ast: true, renderer: "svg", defaultStyle: false, tooltip,
      config: "paper" in place.dataset ? {} : look(),
    });
    if (place.drawn) place.drawn.finalize();
    place.drawn = done;
    for (const old of [...place.children]) if (old !== drawing) old.remove();
    place.dataset.drawn = String(turn);
    sayAge(place, figure.usermeta);
  } catch (error) {
    if (turn !== place.turn) return;
    place.textContent = `This chart cannot be drawn now: ${error.message}`;
  }
};

// A chart as a file.
document.addEventListener("click", async ({ target }) => {
  const place = target.dataset && target.dataset.save && document.querySelector(target.dataset.save);
  if (!place || !place.drawn) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([await place.drawn.view.toSVG()], { type: "image/svg+xml" }));
  link.download = `${place.id}.svg`;
  link.click();
  URL.revokeObjectURL(link.href);
});

const places = (which = "") => document.querySelectorAll(`[data-chart]${which}`);
const drawAll = () => places().forEach(draw);

const watcher = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting || target.inView) continue;
    target.inView = true;
    draw(target);
  }
}, { rootMargin: "200px" });

const watchAll = () => places().forEach((place) => watcher.observe(place));

let timer = null;
const drawSoon = () => {
  timer = timer || setTimeout(() => {
    timer = null;
    drawAll();
  }, 300);
};

document.addEventListener("DOMContentLoaded", watchAll);
document.addEventListener("news", drawSoon);
document.addEventListener("computed", () => places("[data-behind]").forEach(draw));
// A part that says in data-redraws which chart shows it too: that is drawn anew when its version is
// another. What was unfolded in it stays so.
const unfolded = new Set();
const versions = new Map();
const parts = () => document.querySelectorAll("[data-redraws]");
document.addEventListener("DOMContentLoaded", () => {
  for (const part of parts()) versions.set(part.id, part.dataset.version);
});
document.addEventListener("toggle", ({ target }) => {
  if (target.closest("[data-redraws]")) unfolded[target.open ? "add" : "delete"](target.id);
}, true);
const followParts = () => {
  for (const part of parts()) {
    for (const each of part.querySelectorAll("details")) each.open = unfolded.has(each.id);
    if (versions.get(part.id) === part.dataset.version) continue;
    versions.set(part.id, part.dataset.version);
    document.querySelectorAll(part.dataset.redraws).forEach(draw);
    announce("The forecast is there.");
  }
};

document.addEventListener("htmx:afterSettle", () => {
  watchAll();
  followParts();
  places("[data-when]:not([data-drawn])").forEach(draw);
});
for (const kind of ["change", "input"]) {
  document.addEventListener(kind, (event) => {
    for (const place of places("[data-choice]")) {
      if (!event.target.matches || !event.target.matches(place.dataset.choice)) continue;
      clearTimeout(place.typed);
      place.typed = setTimeout(() => draw(place), kind === "input" ? 250 : 0);
    }
  });
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
