// The strip of the game: the value of every position, who was winning when, and where the blunder was.

import { fill, h } from "../dom.js";
import { CHANGE, valueWords } from "./words.js";

const LONGEST = 24; // plies; a nearer end is drawn as a longer bar

export class Strip {
  constructor(jump) {
    this.jump = jump;
    this.row = h("div", { class: "strip", role: "toolbar", "aria-label": "Moves of the game" });
    this.element = h("div", {}, h("div", { class: "strip-legend" }, h("span", {}, "Value over the game"), h("span", {}, h("b", { class: "side-x" }, "X"), " above the line, ", h("b", { class: "side-o" }, "O"), " below")), this.row);
  }

  // moves: all of them; steps: of a review, as far as there is one; at: where we stand.
  show(moves, steps, at, firstSide) {
    const buttons = [null, ...moves].map((move, number) => this.button(move, number, steps[number], steps[number - 1], at, firstSide));
    fill(this.row, buttons);
    const here = buttons[at];
    if (here) {
      const { left, right } = this.row.getBoundingClientRect(), place = here.getBoundingClientRect();
      if (place.left < left || place.right > right) this.row.scrollLeft += place.left - left - 40;
    }
  }

  button(move, number, step, before, at, firstSide) {
    const mover = (number % 2 === 1) === (firstSide === "X") ? "X" : "O";
    const blunder = before?.move === move && before?.blunder ? before.blunder : "";
    const words = [
      move === null ? "start of the game" : `move ${number}, ${mover} plays ${move}`,
      step && step.value !== "unknown" ? `${step.to_move} to move ${valueWords(step.value, step.distance)}` : "",
      blunder ? `blunder, ${CHANGE[blunder] ?? blunder}` : "",
    ];
    return h("button", {
      type: "button", "aria-current": String(number === at), "aria-label": words.filter(Boolean).join(": "), title: words.filter(Boolean).join(": "), onclick: () => this.jump(number),
    },
    h("span", { class: `move ${mover === "X" ? "side-x" : "side-o"}` }, move ?? "·"),
    meter(step),
    h("span", {}, step ? forX(step) : ""),
    h("span", { class: "sign" }, blunder ? "??" : ""));
  }
}

// The value as X sees it: X3 is won by X in 3 plies.
function forX({ value, distance, to_move: side }) {
  if (value === "unknown") return "?";
  if (value === "draw") return "D";
  const winner = (value === "win") === (side === "X") ? "X" : "O";
  return `${winner}${distance || ""}`;
}

function meter(step) {
  const box = h("span", { class: "meter" });
  if (!step || step.value === "unknown") return box;
  if (step.value === "draw") {
    box.append(h("i", { class: "even" }));
    return box;
  }
  const winner = (step.value === "win") === (step.to_move === "X") ? "x" : "o";
  const bar = h("i", { class: winner });
  const near = 1 - Math.min(step.distance ?? LONGEST, LONGEST) / LONGEST;
  bar.style.height = `${18 + 32 * near}%`;
  box.append(bar);
  return box;
}
