// Draws every element with data-chart: the address of a Vega-Lite dictionary. No eval (ast), no
// inline styles, no tooltip library; colours come from the style sheet, so dark pages work too.
// data-choice names the select that belongs to it, data-when what must be there before.
"use strict";

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
  const choice = place.dataset.choice && document.querySelector(place.dataset.choice);
  if (choice) address.searchParams.set(choice.name, choice.value);
  return address;
};

const draw = async (place) => {
  if (place.dataset.when && !document.querySelector(place.dataset.when)) return;
  const turn = (place.turn = (place.turn || 0) + 1);
  try {
    const answer = await fetch(addressOf(place), { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error((await answer.json()).error || answer.statusText);
    const figure = await answer.json();
    if (turn !== place.turn || !place.isConnected) return;
    delete figure.background;
    for (const layer of figure.layer || []) {
      if (layer.mark && layer.mark.color === "#333333") layer.mark.color = colour("--soft");
    }
    if (figure.width !== undefined && figure.width !== "container" && "fit" in place.dataset) figure.width = "container";
    const drawing = document.createElement("div");
    drawing.className = "drawing";
    place.append(drawing);
    const done = await vegaEmbed(drawing, figure, {
      actions: false, ast: true, renderer: "svg", defaultStyle: false, tooltip, config: look(),
    });
    if (place.drawn) place.drawn.finalize();
    place.drawn = done;
    for (const old of [...place.children]) if (old !== drawing) old.remove();
    place.dataset.drawn = String(turn);
  } catch (error) {
    if (turn !== place.turn) return;
    place.textContent = `This chart cannot be drawn now: ${error.message}`;
  }
};

const drawAll = () => document.querySelectorAll("[data-chart]").forEach(draw);

let timer = null;
const drawSoon = () => {
  timer = timer || setTimeout(() => {
    timer = null;
    drawAll();
  }, 300);
};

document.addEventListener("DOMContentLoaded", drawAll);
document.addEventListener("news", drawSoon);
document.addEventListener("htmx:afterSettle", () => {
  document.querySelectorAll("[data-chart]:not([data-drawn])").forEach(draw);
});
document.addEventListener("change", (event) => {
  for (const place of document.querySelectorAll("[data-choice]")) {
    if (event.target.matches && event.target.matches(place.dataset.choice)) draw(place);
  }
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
