"use strict";
// Cells that show the same place in memory carry the same data-offset: lighting one lights them all.
const main = document.querySelector("main");
const status = document.getElementById("status");
const threads = document.querySelector(".threads");
const cells = Array.from(main.querySelectorAll("button.cell"));
const jumps = Array.from(main.querySelectorAll(".jumps li"));
const hasHover = window.matchMedia("(hover: hover)").matches;
const greeting = hasHover ? status.textContent : "Tap a cell: its index, its place in memory and its bytes are told here.";

const areaOf = (cell) => cell.closest("[data-area]").dataset.area;
const partners = (cell) => cells.filter((other) => other.dataset.offset === cell.dataset.offset);
const centre = (element) => {
  const box = element.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, box };
};

function clear() {
  main.querySelectorAll(".lit").forEach((cell) => cell.classList.remove("lit"));
  threads.replaceChildren(...drawJumps());
}

function tell(text) {
  status.textContent = text;
  status.classList.toggle("idle", text === greeting);
}

function light(cell) {
  clear();
  const together = partners(cell);
  together.forEach((other) => other.classList.add("lit"));
  tell(cell.getAttribute("aria-label"));
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

// Strides: a jump under the memory from one element to the next along each dimension, where memory is one line.
const placeOf = (offset) => cells.find((cell) => areaOf(cell) === "memory" && cell.dataset.offset === offset);
const shape = (name, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
};

function drawJumps() {
  const strip = main.querySelector(".strip");
  const places = Array.from(strip.querySelectorAll("button"));
  const isOneLine = places.every((place) => place.offsetTop === places[0].offsetTop);
  strip.style.paddingBottom = isOneLine ? `${jumps.length * 18 + 6}px` : "0";
  if (!isOneLine) return [];
  const origin = main.getBoundingClientRect();
  // Names stand right of every jump, so that no line runs through them.
  const ends = jumps.flatMap((jump) => [jump.dataset.from, jump.dataset.to]).map(placeOf).filter(Boolean);
  const nameX = Math.max(0, ...ends.map((place) => centre(place).x - origin.x)) + 8;
  return jumps.flatMap((jump, level) => {
    const from = placeOf(jump.dataset.from), to = placeOf(jump.dataset.to);
    if (!from || !to) return [];
    const a = centre(from), b = centre(to);
    const top = a.box.bottom - origin.y + 3, bottom = top + 10 + level * 18, ax = a.x - origin.x, bx = b.x - origin.x;
    const label = shape("text", { x: nameX, y: bottom + 4 });
    label.textContent = jump.textContent.split(":")[0];
    const line = from === to
      ? shape("circle", { class: "jump", cx: ax, cy: bottom, r: 4, fill: "none" })
      : shape("path", { class: "jump", d: `M${ax} ${top}V${bottom}H${bx}V${top}m-4 6l4 -6l4 6` });
    return [line, label];
  });
}

jumps.forEach((jump) => {
  const show = () => {
    clear();
    jump.classList.add("lit");
    [jump.dataset.from, jump.dataset.to].map(placeOf).forEach((place) => place && place.classList.add("lit"));
    tell(jump.textContent);
  };
  jump.addEventListener("mouseenter", show);
  jump.addEventListener("click", show);
});

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
  cell.addEventListener("click", (event) => {
    // A tap shows what belongs together and leaves the page where it is.
    if (event.pointerType === "touch" || !hasHover) return light(cell);
    // Enter, space or a click goes across: from an index to its place in memory, and back.
    const across = partners(cell).find((other) => areaOf(other) !== areaOf(cell));
    if (across) focusOn(across);
  });
});
main.addEventListener("mouseleave", () => {
  const focused = document.activeElement.closest && document.activeElement.closest("button.cell");
  if (focused) return light(focused);
  clear();
  tell(greeting);
});
window.addEventListener("resize", () => {
  const last = main.querySelector("button.lit");
  if (last) light(last); else clear();
});
for (const area of new Set(cells.map(areaOf))) {
  cells.filter((cell) => areaOf(cell) === area).forEach((cell, i) => { cell.tabIndex = i ? -1 : 0; });
}
tell(greeting);
clear();
