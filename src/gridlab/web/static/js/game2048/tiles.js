// The board of 2048: the drawing of the library; a move slides its tiles, then the next drawing takes its place.

import { drawing, fill, h } from "../dom.js";

const SIDE = 64; // of a cell in the drawing
const SLIDE = 110, POP = 130; // milliseconds

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Tiles {
  constructor() {
    this.element = h("div", { class: "tiles", tabindex: 0, role: "img", "aria-label": "Board of 2048" });
    this.moving = Promise.resolve();
  }

  show(state) {
    this.svg = drawing(state.svg, "tiles-svg");
    this.svg.removeAttribute("role");
    fill(this.element, this.svg);
    const rows = state.board.split("/").map((row, number) => `row ${number + 1}: ${row.replaceAll(".", "empty")}`);
    this.element.setAttribute("aria-label", `Board of 2048. ${rows.join("; ")}`);
  }

  // step: where tiles go, the cell of the new one, and the state after it.
  async play(step, cols, speed = 1) {
    if (still() || !this.svg || speed > 4) {
      this.show(step.state);
      return;
    }
    const slides = step.travel.map(([from, to]) => {
      const tile = this.svg.querySelector(`[data-cell="${from}"]`);
      const right = ((to % cols) - (from % cols)) * SIDE, down = (Math.floor(to / cols) - Math.floor(from / cols)) * SIDE;
      return tile?.animate([{ transform: "none" }, { transform: `translate(${right}px, ${down}px)` }], { duration: SLIDE / speed, easing: "ease-out", fill: "forwards" }).finished;
    });
    await Promise.allSettled(slides);
    this.show(step.state);
    const targets = step.travel.map(([, to]) => to);
    const merged = targets.filter((to, number) => targets.indexOf(to) !== number);
    const grow = (cell, from) => this.svg.querySelector(`[data-cell="${cell}"]`)?.animate([{ transform: `scale(${from})` }, { transform: "scale(1)" }], { duration: POP / speed, easing: "ease-out" });
    for (const cell of merged) grow(cell, 1.14);
    grow(step.spawned, 0.3);
  }
}
