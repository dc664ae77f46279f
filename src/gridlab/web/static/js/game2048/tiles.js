// The board of 2048. A move slides its tiles; when moves come faster than that, slides get shorter, then are left out.

import { fill, h, s } from "../dom.js";

const SIDE = 64; // of a cell in the drawing
const SLIDE = 100, POP = 120; // milliseconds
const FEW = 4; // moves that wait; with more the board is drawn without them

const still = () => document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;

function square(kind, x, y) {
  return s("rect", { class: kind, x: x + 3, y: y + 3, width: SIDE - 6, height: SIDE - 6, rx: 4 });
}

function tile(number, cell, x, y) {
  const exponent = Math.min(Math.round(Math.log2(number)), 15);
  const size = number < 1000 ? 24 : Math.floor(72 / String(number).length) + 2;
  const text = s("text", { x: x + SIDE / 2, y: y + SIDE / 2 + Math.floor(size / 3), "font-size": size, "text-anchor": "middle" }, String(number));
  return s("g", { class: `tile tile-${exponent}`, "data-cell": cell }, square("face", x, y), text);
}

// A board as a picture: { rows, cols, tiles }.
export function picture({ rows, cols, tiles }) {
  const corner = (cell) => [(cell % cols) * SIDE, Math.floor(cell / cols) * SIDE];
  return s("svg", { class: "tiles-svg", viewBox: `0 0 ${cols * SIDE} ${rows * SIDE}` },
    s("rect", { class: "frame", width: cols * SIDE, height: rows * SIDE, rx: 6 }),
    tiles.map((_, cell) => square("hole", ...corner(cell))),
    tiles.flatMap((number, cell) => (number ? [tile(number, cell, ...corner(cell))] : [])));
}

export function boardInWords(board) {
  return board.split("/").map((row, number) => `row ${number + 1}: ${row.replaceAll(".", "empty")}`).join("; ");
}

export class Tiles {
  constructor() {
    this.paper = h("div", { class: "paper" });
    this.element = h("div", { class: "tiles", tabindex: 0, role: "img", "aria-label": "Board of 2048" }, this.paper);
    this.waiting = [];
    this.turn = 0;
  }

  // state: { rows, cols, tiles, board }. Whatever still moves gives way to it.
  show(state) {
    this.turn += 1;
    this.waiting = [];
    this.running = false;
    this.describe(state);
    this.draw(state);
  }

  // A move: where tiles go, the cell of the new one, and the state after it.
  play(step) {
    this.describe(step.state);
    this.waiting.push(step);
    if (!this.running) this.run(this.turn);
  }

  describe({ rows, cols, board }) {
    this.element.style.aspectRatio = `${cols} / ${rows}`;
    this.element.setAttribute("aria-label", `Board of 2048. ${boardInWords(board)}`);
  }

  draw(state) {
    this.svg = picture(state);
    fill(this.paper, this.svg);
  }

  async run(turn) {
    this.running = true;
    while (this.waiting.length) {
      if (!this.svg || still() || this.waiting.length > FEW) {
        this.draw(this.waiting.at(-1).state);
        this.waiting = [];
        break;
      }
      const hurry = this.waiting.length, step = this.waiting.shift();
      await this.slide(step, SLIDE / hurry);
      if (turn !== this.turn) return;
      this.draw(step.state);
      this.pop(step, POP / hurry);
    }
    this.running = false;
  }

  slide({ travel, state: { cols } }, duration) {
    for (const [from, to] of travel) {
      const right = ((to % cols) - (from % cols)) * SIDE, down = (Math.floor(to / cols) - Math.floor(from / cols)) * SIDE;
      if (!right && !down) continue;
      this.at(from)?.animate([{ transform: "none" }, { transform: `translate(${right}px, ${down}px)` }], { duration, easing: "ease-out", fill: "forwards" });
    }
    return new Promise((go) => setTimeout(go, duration));
  }

  pop({ travel, spawned }, duration) {
    const targets = travel.map(([, to]) => to);
    const grow = (cell, from) => this.at(cell)?.animate([{ transform: `scale(${from})` }, { transform: "scale(1)" }], { duration, easing: "ease-out" });
    for (const cell of targets.filter((to, number) => targets.indexOf(to) !== number)) grow(cell, 1.14);
    grow(spawned, 0.3);
  }

  at(cell) {
    return this.svg.querySelector(`[data-cell="${cell}"]`);
  }
}
