// The board: a drawing, and over it a grid of buttons that keys, fingers and screen readers understand.

import { fill, h, s } from "../dom.js";
import { opinionWords, valueWords } from "./words.js";

const CELL = 48, MARGIN = 20, FAR = 8; // of the drawing; MARGIN has the numbers of rows and columns
const MARKS = { X: "X", O: "O", ".": "empty" };
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const HOLD = 450; // milliseconds of a finger on a cell

// The board as a picture, like that of the library: { rows, cols, board, marked }.
export function picture({ rows, cols, board, marked = [] }) {
  const corner = (cell) => [MARGIN + (cell % cols) * CELL, MARGIN + Math.floor(cell / cols) * CELL];
  const right = MARGIN + cols * CELL, bottom = MARGIN + rows * CELL;
  const range = (count, of) => Array.from({ length: count }, (_, each) => of(each));
  const lines = [...range(rows + 1, (row) => `M${MARGIN} ${MARGIN + row * CELL}H${right}`), ...range(cols + 1, (col) => `M${MARGIN + col * CELL} ${MARGIN}V${bottom}`)];
  const number = (x, y, text) => s("text", { class: "number", x, y, "text-anchor": "middle", "dominant-baseline": "middle" }, String(text));
  const stone = (mark, cell) => {
    const [x, y] = corner(cell);
    if (mark === "X") return s("path", { class: "cross", d: `M${x + 12} ${y + 12}l24 24m0 -24l-24 24`, "stroke-linecap": "round" });
    return s("circle", { class: "nought", cx: x + 24, cy: y + 24, r: 13, fill: "none" });
  };
  return s("svg", { class: "board-svg", viewBox: `0 0 ${right + FAR} ${bottom + FAR}`, xmlns: "http://www.w3.org/2000/svg" },
    s("rect", { class: "paper", width: right + FAR, height: bottom + FAR }),
    marked.map((cell) => s("rect", { class: "marked", x: corner(cell)[0], y: corner(cell)[1], width: CELL, height: CELL })),
    s("path", { class: "grid", d: lines.join(""), fill: "none" }),
    range(cols, (col) => number(MARGIN + col * CELL + CELL / 2, MARGIN / 2, col + 1)),
    range(rows, (row) => number(MARGIN / 2, MARGIN + row * CELL + CELL / 2, row + 1)),
    [...board.replaceAll("/", "")].map((mark, cell) => (mark === "." ? null : stone(mark, cell))).filter(Boolean));
}

// `press(cell)` is called for a click; `look(cell or null)` when the pointer, a resting finger or the focus comes and goes.
export class Grid {
  constructor({ press, look = () => {} }) {
    this.press = press;
    this.look = look;
    this.paper = h("div", { class: "drawing", "aria-hidden": "true" });
    this.cells = h("div", { class: "cells", role: "grid", "aria-label": "Board", onkeydown: (event) => this.steer(event) });
    this.element = h("div", { class: "board", "data-testid": "board" }, this.paper, this.cells);
    this.focus = 0;
    this.buttons = [];
    this.drawn = "";
  }

  // position: { rows, cols, board, marked }; marks: what to write into cells.
  show(position, { values = null, opinion = null, network = null, best = [], latest = null, ghosts = new Map(), open = true, setup = false } = {}) {
    const { rows, cols, board } = position;
    if (this.buttons.length !== rows * cols || this.cols !== cols) this.build(rows, cols);
    this.element.classList.toggle("setup", setup);
    this.draw(position);
    const marks = board.replaceAll("/", "");
    const byCell = (list) => new Map((list ?? []).map((each) => [each.cell, each]));
    const [exact, thought, felt] = [byCell(values), byCell(opinion), byCell(network)];
    this.buttons.forEach((button, cell) => {
      const written = inside(exact.get(cell), thought.get(cell), felt.get(cell));
      const isBest = best.includes(cell);
      const place = `row ${Math.floor(cell / cols) + 1} column ${(cell % cols) + 1}`;
      const said = [place, MARKS[marks[cell]], written.map(([, text]) => text).join(" "), ...written.map(([, , words]) => words), isBest ? "best" : ""];
      const chips = written.map(([kind, text]) => h("span", { class: kind }, text));
      fill(button, ghosts.has(cell) ? ghost(ghosts.get(cell)) : null, chips);
      button.classList.toggle("best", isBest);
      button.classList.toggle("latest", cell === latest);
      button.setAttribute("aria-disabled", String(!(setup || (open && marks[cell] === "."))));
      button.setAttribute("aria-label", said.filter(Boolean).join(", "));
    });
  }

  draw(position) {
    const key = JSON.stringify([position.rows, position.cols, position.board, position.marked]);
    if (key === this.drawn) return;
    this.drawn = key;
    fill(this.paper, picture(position));
  }

  // Room for a board of this size.
  reserve([rows, cols]) {
    const style = this.element.style;
    style.setProperty("--cols", cols);
    style.setProperty("--rows", rows);
    style.setProperty("--w", cols * CELL + MARGIN + FAR);
    style.setProperty("--h", rows * CELL + MARGIN + FAR);
  }

  build(rows, cols) {
    this.rows = rows;
    this.cols = cols;
    this.focus = Math.min(this.focus, rows * cols - 1);
    this.reserve([rows, cols]);
    this.buttons = Array.from({ length: rows * cols }, (_, cell) => this.button(cell));
    const lines = Array.from({ length: rows }, (_, row) => h("div", { class: "line", role: "row" }, this.buttons.slice(row * cols, (row + 1) * cols)));
    fill(this.cells, lines);
  }

  button(cell) {
    const hovers = (event) => event.pointerType !== "touch";
    return h("button", {
      type: "button", class: "cell", role: "gridcell", tabindex: cell === this.focus ? 0 : -1, "data-cell": cell,
      onclick: () => this.click(cell),
      onpointerenter: (event) => { if (hovers(event)) this.look(cell); },
      onpointerleave: (event) => { if (hovers(event)) this.look(null); else this.release(); },
      onpointerdown: (event) => { if (!hovers(event)) this.hold(cell); },
      onpointerup: () => this.release(), onpointercancel: () => this.release(),
      oncontextmenu: (event) => { if (this.holding !== undefined) event.preventDefault(); },
      onfocus: () => { this.moveFocus(cell, false); if (this.buttons[cell].matches(":focus-visible")) this.look(cell); }, onblur: () => this.look(null),
    });
  }

  click(cell) {
    this.moveFocus(cell, false);
    const held = this.held === cell;
    this.held = undefined;
    if (!held && this.buttons[cell].getAttribute("aria-disabled") !== "true") this.press(cell);
  }

  // A finger that rests on a cell looks, and does not press.
  hold(cell) {
    this.release();
    this.held = undefined;
    this.look(null);
    this.holding = setTimeout(() => { this.held = cell; this.look(cell); }, HOLD);
  }

  release() {
    clearTimeout(this.holding);
    this.holding = undefined;
  }

  steer(event) {
    const step = STEPS[event.key];
    if (!step && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    const row = Math.floor(this.focus / this.cols), col = this.focus % this.cols;
    if (event.key === "Home") this.moveFocus(row * this.cols, true);
    else if (event.key === "End") this.moveFocus((row + 1) * this.cols - 1, true);
    else {
      const [down, right] = step;
      const to = [Math.max(0, Math.min(this.rows - 1, row + down)), Math.max(0, Math.min(this.cols - 1, col + right))];
      this.moveFocus(to[0] * this.cols + to[1], true);
    }
  }

  moveFocus(cell, really) {
    this.buttons[this.focus]?.setAttribute("tabindex", "-1");
    this.focus = cell;
    this.buttons[cell].setAttribute("tabindex", "0");
    if (really) this.buttons[cell].focus();
  }
}

// What is written into a cell: kind, text, and the same in words.
function inside(value, idea, feeling) {
  const found = [];
  if (value) found.push([`value ${value.value}`, value.label, valueWords(value.value, value.distance)]);
  else if (idea) found.push(["value opinion", idea.proved || opinionWords(idea.value), `tree search thinks so after ${idea.visits} visits`]);
  if (feeling) found.push(["network", opinionWords(feeling.value), `network thinks ${opinionWords(feeling.value)}`]);
  return found;
}

function ghost({ number, side }) {
  return h("span", { class: `ghost ${side.toLowerCase()}`, "aria-hidden": "true" }, String(number));
}
