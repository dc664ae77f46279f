// The board: the drawing of the library, and over it a grid of buttons that keys and screen readers understand.

import { drawing, fill, h } from "../dom.js";
import { opinionWords, valueWords } from "./words.js";

const CELL = 48, MARGINS = 28; // of the drawing: 20 for the numbers, 8 of the 20 on the other side
const MARKS = { X: "X", O: "O", ".": "empty" };
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// `press(cell)` is called for a click; `look(cell or null)` when the pointer or the focus comes and goes.
export class Grid {
  constructor({ press, look }) {
    this.press = press;
    this.look = look;
    this.paper = h("div", { class: "drawing", "aria-hidden": "true" });
    this.cells = h("div", { class: "cells", role: "grid", "aria-label": "Board", onkeydown: (event) => this.steer(event) });
    this.element = h("div", { class: "board", "data-testid": "board" }, this.paper, this.cells);
    this.focus = 0;
    this.buttons = [];
  }

  // position: as the server tells it; marks: what to write into cells.
  show(position, { values = null, opinion = null, network = null, best = [], latest = null, ghosts = new Map(), open = true, setup = false } = {}) {
    const { rows, cols } = position;
    if (this.buttons.length !== rows * cols || this.cols !== cols) this.build(rows, cols);
    this.element.classList.toggle("setup", setup);
    const picture = drawing(position.svg, "board-svg");
    picture.setAttribute("viewBox", `0 0 ${cols * CELL + MARGINS} ${rows * CELL + MARGINS}`);
    fill(this.paper, picture);
    const marks = position.board.replaceAll("/", "");
    const byCell = (list) => new Map((list ?? []).map((each) => [each.cell, each]));
    const [exact, thought, felt] = [byCell(values), byCell(opinion), byCell(network)];
    this.buttons.forEach((button, cell) => {
      const said = [];
      const inside = [];
      const value = exact.get(cell), idea = thought.get(cell), feeling = felt.get(cell);
      if (ghosts.has(cell)) {
        const { number, side } = ghosts.get(cell);
        inside.push(h("span", { class: `ghost ${side.toLowerCase()}` }, String(number)));
      } else if (value) {
        inside.push(h("span", { class: `value ${value.value}` }, value.label));
      } else if (idea) {
        inside.push(h("span", { class: "value opinion" }, idea.proved ? `${idea.proved}` : opinionWords(idea.value)));
      }
      if (feeling && !ghosts.has(cell)) inside.push(h("span", { class: "network" }, opinionWords(feeling.value)));
      if (value) said.push(valueWords(value.value, value.distance));
      if (idea && !value) said.push(`search thinks ${opinionWords(idea.value)}`);
      if (feeling) said.push(`network thinks ${opinionWords(feeling.value)}`);
      const isBest = best.includes(cell);
      if (isBest) said.push("best");
      fill(button, inside);
      button.classList.toggle("best", isBest);
      button.classList.toggle("latest", cell === latest);
      const free = marks[cell] === ".";
      button.setAttribute("aria-disabled", String(!(setup || (open && free))));
      button.setAttribute("aria-label", [`row ${Math.floor(cell / cols) + 1} column ${(cell % cols) + 1}`, MARKS[marks[cell]], ...said].join(", "));
    });
  }

  // Room for a board of this size.
  reserve([rows, cols]) {
    const style = this.element.style;
    style.setProperty("--cols", cols);
    style.setProperty("--rows", rows);
    style.setProperty("--w", cols * CELL + MARGINS);
    style.setProperty("--h", rows * CELL + MARGINS);
  }

  build(rows, cols) {
    this.rows = rows;
    this.cols = cols;
    this.focus = Math.min(this.focus, rows * cols - 1);
    this.reserve([rows, cols]);
    this.buttons = Array.from({ length: rows * cols }, (_, cell) =>
      h("button", {
        type: "button", class: "cell", role: "gridcell", tabindex: cell === this.focus ? 0 : -1, "data-cell": cell,
        onclick: () => { this.moveFocus(cell, false); if (this.buttons[cell].getAttribute("aria-disabled") !== "true") this.press(cell); },
        onpointerenter: () => this.look(cell), onpointerleave: () => this.look(null),
        onfocus: () => { this.moveFocus(cell, false); if (this.buttons[cell].matches(":focus-visible")) this.look(cell); }, onblur: () => this.look(null),
      }));
    const lines = Array.from({ length: rows }, (_, row) => h("div", { class: "line", role: "row" }, this.buttons.slice(row * cols, (row + 1) * cols)));
    fill(this.cells, lines);
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
