// The strip of the game: the value of every position, who was winning when, where the blunder was; and its variations.

import { fill, h } from "../dom.js";
import { CHANGE, valueWords } from "./words.js";

const LONGEST = 24; // plies; a nearer end is drawn as a longer bar
const SHOWN = 12; // moves of a variation

export class Strip {
  // go(node) shows a position, remove(node) takes a variation away.
  constructor({ go, remove }) {
    Object.assign(this, { go, remove });
    this.row = h("div", { class: "strip", role: "toolbar", "aria-label": "Moves of the game", onkeydown: (event) => this.walk(event) });
    this.others = h("div", { class: "variations" });
    this.element = h("div", {},
      h("div", { class: "strip-legend" }, h("span", {}, "Value over the game"), h("span", {}, h("b", { class: "side-x" }, "X"), " above the line, ", h("b", { class: "side-o" }, "O"), " below")),
      this.row, this.others);
  }

  // at: the node that is shown; told: whether values may be seen.
  show(game, at, told) {
    this.at = at;
    const focused = this.row.contains(document.activeElement);
    const { line } = at;
    const buttons = line.map((node) => this.button(game, node, told));
    fill(this.row, buttons);
    const here = buttons[at.depth];
    const { left, right } = this.row.getBoundingClientRect(), place = here.getBoundingClientRect();
    if (place.left < left || place.right > right) this.row.scrollLeft += place.left - left - 40;
    if (focused) here.focus({ preventScroll: true });
    fill(this.others, variations(line).map((node) => this.variation(game, node)));
  }

  button(game, node, told) {
    const step = told ? node.step : null, blunder = told ? node.blunder : "";
    const mover = node.parent ? game.sideAt(node.parent) : "";
    const texts = [node.move ?? "·", step ? forX(step) : "", blunder ? "??" : ""];
    const words = [
      node.parent ? `move ${node.depth}, ${mover} plays ${node.move}` : "start of the game",
      step && step.value !== "unknown" ? `${step.to_move} to move ${valueWords(step.value, step.distance)}` : "",
      blunder ? `blunder, ${CHANGE[blunder] ?? blunder}` : "",
    ].filter(Boolean).join(": ");
    const here = node === this.at;
    return h("button", { type: "button", "aria-current": String(here), tabindex: here ? 0 : -1, title: words, "aria-label": `${texts.filter(Boolean).join(" ")}: ${words}`, onclick: () => this.go(node) },
      h("span", { class: `move side-${mover.toLowerCase()}` }, texts[0]), " ", meter(step), h("span", {}, texts[1]), " ", h("span", { class: "sign" }, texts[2]));
  }

  // A line that was left: its first moves, each of which can be gone to.
  variation(game, node) {
    const moves = node.line.slice(node.depth);
    const parts = moves.slice(0, SHOWN).map((each) => h("button", { class: "link", onclick: () => this.go(each) }, each.move));
    return h("p", { class: "small" }, h("span", { class: "muted" }, `Instead of move ${node.depth}: `), parts.flatMap((each) => [each, " "]), moves.length > SHOWN ? "… " : "",
      h("button", { class: "link quiet", "aria-label": `Remove the variation ${node.move}`, onclick: () => this.remove(node) }, "remove"));
  }

  // Left and right walk along the line, up and down change to another variation.
  walk(event) {
    const { at } = this;
    const same = at.parent?.children ?? [];
    const beside = (by) => same[same.indexOf(at) + by];
    const to = { ArrowLeft: at.parent, ArrowRight: at.following, ArrowUp: beside(-1), ArrowDown: beside(1), Home: at.path[0], End: at.line.at(-1) }[event.key];
    if (!(event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End")) return;
    event.preventDefault();
    if (to) this.go(to);
  }
}

// The other moves at every position of a line.
function variations(line) {
  return line.flatMap((node) => (node.parent ? node.parent.children.filter((each) => each !== node) : []));
}

// The value as X sees it: X3 is won by X in 3 plies.
function forX({ value, distance, to_move: side }) {
  if (value === "unknown") return "?";
  if (value === "draw") return "D";
  const winner = (value === "win") === (side === "X") ? "X" : "O";
  return `${winner}${distance || ""}`;
}

function meter(step) {
  const box = h("span", { class: "meter", "aria-hidden": "true" });
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
