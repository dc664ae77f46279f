// Lines of best play to walk along: a click on a move shows the board after it.

import { fill, h } from "../dom.js";
import { valueWords } from "../board/words.js";

// `show(step)` is called with a step of a line, or with null for the puzzle itself.
export class Lines {
  constructor(show) {
    this.show = show;
    this.element = h("div", { class: "puzzle-lines" });
    this.clear();
  }

  clear() {
    this.rows = [];
    this.at = null;
    fill(this.element);
  }

  // A line that is asked for; `found` is a promise of it. The last of those picked on the board takes its place.
  async add(title, worth, found, picked = false) {
    const row = { title, worth, steps: null, picked };
    this.rows = [...this.rows.filter((each) => !picked || !each.picked), row];
    this.draw();
    try {
      Object.assign(row, await found);
    } catch (error) {
      row.trouble = error.message;
    }
    this.draw();
    return row;
  }

  // The line of a move, if it is there already.
  of(move) {
    return this.rows.find((each) => each.worth.move === move && each.steps);
  }

  go(row, number) {
    this.at = { row, number };
    this.draw();
    this.show(number === 0 ? null : row.steps[number - 1]);
    this.element.querySelector("[aria-current]")?.focus({ preventScroll: true });
  }

  draw() {
    fill(this.element, this.rows.map((row) => h("div", { class: "puzzle-line" },
      h("h3", {}, `${row.title}: `, h("span", { class: "muted" }, `${row.worth.move} ${valueWords(row.worth.value, row.worth.distance)}`)),
      row.trouble ? h("p", { class: "error" }, row.trouble) : row.steps ? this.walk(row) : h("p", { class: "muted" }, "Looking for the line …"))));
  }

  walk(row) {
    const here = this.at?.row === row ? this.at.number : null;
    const step = (number, text, label, side) => h("button", {
      type: "button", class: `step ${side}`, "aria-label": label, "aria-current": here === number ? "true" : null, onclick: () => this.go(row, number),
    }, text);
    const steps = row.steps.map((each, at) => step(at + 1, each.move, `${each.move}, ${each.side} plays, move ${at + 1}`, each.side.toLowerCase()));
    const end = row.whole ? null : h("p", { class: "muted small" }, "What follows is too expensive to know at once; the board can find it out.");
    return h("div", { class: "stack tight", onkeydown: (event) => this.steer(event, row, here) },
      h("div", { class: "walk", role: "group", "aria-label": `${row.title}, move by move` }, step(0, "Puzzle", "Puzzle, before the line", ""), steps), end);
  }

  steer(event, row, here) {
    const to = { ArrowRight: (here ?? 0) + 1, ArrowLeft: (here ?? 0) - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to >= 0 && to <= row.steps.length) this.go(row, to);
  }
}
