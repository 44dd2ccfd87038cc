// The table in which results are typed: arrows, Enter and Tab move; a block that is pasted fills
// cells; a scanned case is gone to; what others do marks cells, and never touches what was typed.
"use strict";

const grid = () => document.getElementById("grid");
const cellAt = (row, column) => grid().querySelector(`[name="v${row}-${column}"]`);
const placeOf = (cell) => cell.name.slice(1).split("-").map(Number);
const size = () => [grid().querySelectorAll("tbody tr").length, grid().querySelectorAll("[name=column]").length];
const isCell = (place) => Boolean(place && place.matches && place.matches("table.entry input[type=text]"));

// The next cell in a direction that can be typed into; cells that are known have no field.
const step = (cell, down, right) => {
  const [rows, columns] = size();
  let [row, column] = placeOf(cell);
  for (;;) {
    row += down;
    column += right;
    if (row < 0 || column < 0 || row >= rows || column >= columns) return null;
    const next = cellAt(row, column);
    if (next) return next;
  }
};

const goTo = (cell) => {
  if (!cell) return;
  cell.focus();
  cell.select();
};

const firstDue = (row) => row && (row.querySelector("td.due input[type=text]") || row.querySelector("td input[type=text]"));

// Other parts of the table come from the server with all that was typed, which it sends back.
let turning = false;

const turn = async (wish, more = {}) => {
  if (turning) return;
  turning = true;
  const held = new FormData(grid());
  held.set("do", wish);
  for (const [name, value] of Object.entries(more)) held.set(name, value);
  const before = Object.fromEntries(held);
  try {
    const answer = await fetch(document.querySelector("[data-table]").getAttribute("formaction"), {
      method: "POST", body: held, headers: { "HX-Request": "true" },
    });
    if (!answer.ok || new URL(answer.url).pathname.endsWith("/login")) {
      showProblem(document.getElementById("scan-problem"), "That could not be shown; what you typed is still here. Load the page in another tab, log in if you are asked to, and try again.");
      return;
    }
    const text = await answer.text();
    // What was typed while the answer was on its way is kept.
    const late = [...new FormData(grid())].filter(([name, value]) => /^v\d+-\d+$/.test(name) && before[name] !== value)
      .map(([name, value]) => [...caseAndTest(name), value]);
    const table = document.getElementById("result-table");
    table.innerHTML = text;
    for (const [name, test, value] of late) {
      const cell = [...table.querySelectorAll("table.entry input[type=text]")].find((each) =>
        caseAndTest(each.name).join("\n") === `${name}\n${test}`);
      if (cell) cell.value = value;
    }
    const wrong = table.querySelector("#scan-problem .problem");
    const marked = table.querySelector("[data-focus]");
    if (wrong) {
      announce(wrong.textContent.trim(), true);
      const scan = document.getElementById("scan");
      if (wish === "add") {
        scan.value = more.scan ?? before.scan ?? "";
        goTo(scan);
      }
    } else if (wish === "add" && marked) {
      goTo(firstDue(marked.closest("tr")));
    } else if (wish === "paste" && marked) {
      goTo(marked);
      announce("The cells are filled. Check shows what will be written down.");
    } else {
      goTo(table.querySelector("table.entry input[type=text]") || document.getElementById("scan"));
    }
  } catch {
    showProblem(document.getElementById("scan-problem"), "The server does not answer; what you typed is still here.");
  } finally {
    turning = false;
  }
};

const caseAndTest = (name) => {
  const [row, column] = name.slice(1).split("-").map(Number);
  return [grid().querySelectorAll("[name=row]")[row].value, grid().querySelectorAll("[name=column]")[column].value];
};

const scanned = (field) => {
  const name = field.value.trim();
  if (!name) return;
  const row = [...grid().querySelectorAll("tr[data-case]")].find((each) => each.dataset.case === name);
  const cell = firstDue(row);
  if (cell) {
    field.value = "";
    goTo(cell);
  } else {
    turn("add", { scan: name });
  }
};

document.addEventListener("keydown", (event) => {
  const place = event.target;
  if (!grid() || event.isComposing) return;
  if (place.id === "scan" && event.key === "Enter") {
    event.preventDefault();
    scanned(place);
  } else if (place.id === "find" && event.key === "Enter") {
    event.preventDefault();
    turn("find");
  } else if (isCell(place)) {
    moveFrom(place, event);
  }
});

const moveFrom = (cell, event) => {
  if (event.altKey || event.metaKey) return;
  if (event.key === "Enter") {
    event.preventDefault();
    if (event.ctrlKey) document.getElementById("check").click();
    else goTo(step(cell, event.shiftKey ? -1 : 1, 0) || document.getElementById("scan"));
    return;
  }
  const listed = cell.hasAttribute("list") && cell.value !== ""; // arrows choose from the list there
  const atStart = cell.selectionStart === 0, atEnd = cell.selectionEnd === cell.value.length;
  const ways = {
    ArrowUp: !listed && [-1, 0], ArrowDown: !listed && [1, 0],
    ArrowLeft: atStart && [0, -1], ArrowRight: atEnd && [0, 1],
  };
  const way = ways[event.key];
  if (!way || event.shiftKey || event.ctrlKey) return;
  const next = step(cell, ...way);
  if (!next) return;
  event.preventDefault();
  goTo(next);
};

document.addEventListener("click", (event) => {
  const button = event.target.closest && event.target.closest("button[data-table]");
  if (!button) return;
  event.preventDefault();
  if (button.value === "add") scanned(document.getElementById("scan"));
  else if (button.value === "paste") {
    turn("paste").then(() => { if (!document.querySelector("#scan-problem .problem")) document.getElementById("block").value = ""; });
  } else turn(button.value);
});

document.addEventListener("paste", (event) => {
  const cell = event.target;
  if (!isCell(cell)) return;
  const text = event.clipboardData.getData("text/plain");
  if (!/[\t\n]/.test(text.replace(/\r?\n$/, ""))) return; // one value goes in as usual
  event.preventDefault();
  const [row, column] = placeOf(cell);
  turn("paste", { block: text, at_row: row, at_column: column });
});

// What typing into a cell does is said before
document.addEventListener("focusin", (event) => {
  if (!isCell(event.target)) return;
  const words = document.getElementById("cell-words");
  const [name, test] = caseAndTest(event.target.name);
  const does = {
    due: "is due: what you type answers the request.",
    known: "is known by now: another value would need a correction.",
    gone: "cannot be written down: the case is withdrawn.",
  }[event.target.dataset.state] || "was not asked for: what you type is recorded beside the requests.";
  if (words) words.textContent = `${test} of ${name} ${does}`;
});

// What others do: cells are marked anew, nothing moves and nothing that was typed is touched
const markCells = async () => {
  const table = document.querySelector("table.entry");
  if (!table) return;
  const asked = new URLSearchParams();
  for (const each of grid().querySelectorAll("[name=row], [name=column]")) asked.append(each.name, each.value);
  try {
    const answer = await fetch(`${table.dataset.cells}?${asked}`);
    if (!answer.ok) return;
    const found = await answer.json();
    found.forEach((row, at) => row.forEach((cell, column) => {
      const field = cellAt(at, column);
      if (!field || field.dataset.state === cell.state) return;
      const [name, test] = caseAndTest(field.name);
      field.dataset.state = cell.state;
      field.closest("td").className = cell.state;
      const said = { due: `due, ${cell.cost}`, known: `known: ${cell.value}` }[cell.state] || "nobody asked for it";
      field.setAttribute("aria-label", `${test} of ${name}, ${said}`);
      field.placeholder = { due: "due", known: cell.value }[cell.state] || "";
    }));
  } catch {
    return; // the next news tries again
  }
};
document.addEventListener("news", markCells);

document.addEventListener("DOMContentLoaded", () => {
  const written = document.getElementById("written-heading");
  if (written) written.focus();
});
