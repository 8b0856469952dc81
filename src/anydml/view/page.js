"use strict";
// Cells that show the same place in memory carry the same data-offset: lighting one lights them all.
const main = document.querySelector("main");
const status = document.getElementById("status");
const threads = document.querySelector(".threads");
const cells = Array.from(main.querySelectorAll("button.cell"));
const greeting = status.textContent;

const areaOf = (cell) => cell.closest("[data-area]").dataset.area;
const partners = (cell) => cells.filter((other) => other.dataset.offset === cell.dataset.offset);
const centre = (element) => {
  const box = element.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, box };
};

function clear() {
  main.querySelectorAll(".lit").forEach((cell) => cell.classList.remove("lit"));
  threads.replaceChildren();
}

function light(cell) {
  clear();
  const together = partners(cell);
  together.forEach((other) => other.classList.add("lit"));
  status.textContent = cell.getAttribute("aria-label");
  const memory = together.find((other) => areaOf(other) === "memory");
  if (!memory) return;
  const logical = areaOf(cell) === "memory" ? together.filter((other) => other !== memory) : [cell];
  logical.slice(0, 64).forEach((other) => threads.append(thread(other, memory)));
}

// Threads run behind the cells: down to memory that lies below, or out to the side and up to memory beside.
function thread(from, to) {
  const origin = main.getBoundingClientRect();
  const a = centre(from), b = centre(to);
  const isBelow = to.closest("section").getBoundingClientRect().top >= from.closest("section").getBoundingClientRect().bottom;
  const sag = Math.max(a.y, b.box.bottom) + 34;
  const bends = isBelow
    ? [[a.x, (a.box.bottom + b.box.top) / 2], [b.x, (a.box.bottom + b.box.top) / 2], [b.x, b.y]]
    : [[(a.x + b.x) / 2, a.y], [b.x, sag], [b.x, b.y]];
  const place = ([x, y]) => `${x - origin.x} ${y - origin.y}`;
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", `M${place([a.x, a.y])} C${bends.map(place).join(" ")}`);
  return path;
}

// One cell of each view can be reached with Tab; the arrow keys go on from there.
function focusOn(cell) {
  cells.filter((other) => areaOf(other) === areaOf(cell)).forEach((other) => { other.tabIndex = -1; });
  cell.tabIndex = 0;
  cell.focus();
}

function neighbour(cell, dx, dy) {
  const here = centre(cell);
  const family = cells.filter((other) => areaOf(other) === areaOf(cell));
  let best = null, least = Infinity;
  for (const other of family) {
    const there = centre(other);
    const along = (there.x - here.x) * dx + (there.y - here.y) * dy;
    const across = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
    const distance = along + 4 * across;
    if (along > 4 && across <= (dx ? 8 : 1e4) && distance < least) { best = other; least = distance; }
  }
  // At the end of a line, left and right go on to the line before and after.
  return best || (dx ? family[family.indexOf(cell) + dx] : null);
}

const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
main.addEventListener("keydown", (event) => {
  const cell = event.target.closest("button.cell");
  if (!cell || !(event.key in arrows)) return;
  event.preventDefault();
  const next = neighbour(cell, ...arrows[event.key]);
  if (next) focusOn(next);
});

cells.forEach((cell) => {
  cell.addEventListener("mouseenter", () => light(cell));
  cell.addEventListener("focus", () => light(cell));
  cell.addEventListener("click", () => {
    // Enter, space or a click goes across: from an index to its place in memory, and back.
    const across = partners(cell).find((other) => areaOf(other) !== areaOf(cell));
    if (across) focusOn(across);
  });
});
main.addEventListener("mouseleave", () => {
  const focused = document.activeElement.closest && document.activeElement.closest("button.cell");
  if (focused) return light(focused);
  clear();
  status.textContent = greeting;
});
window.addEventListener("resize", () => {
  const last = main.querySelector(".lit");
  if (last) light(last);
});
for (const area of new Set(cells.map(areaOf))) {
  cells.filter((cell) => areaOf(cell) === area).forEach((cell, i) => { cell.tabIndex = i ? -1 : 0; });
}
