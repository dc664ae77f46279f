// What each direction is worth, as a player sees it.

import { fill, h } from "../dom.js";

const ALL = ["up", "left", "right", "down"];
export const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" };

// Exact values are close to each other: all their digits that matter.
function worth({ exact, target, points }, value) {
  const digits = exact ? (target === "score" ? 3 : 6) : points ? 0 : 1;
  return value.toLocaleString("en", { minimumFractionDigits: exact ? digits : 0, maximumFractionDigits: digits });
}

function explained({ exact, target, points, player }) {
  if (exact) return `Exact: ${target === "score" ? "points to come" : `the chance of a ${target}`} with perfect play, from a solved board.`;
  return points ? `Points still to come, as ${player} expects them.` : `An opinion of ${player}, on its own scale.`;
}

export function advice(element, found) {
  if (!found) {
    fill(element, h("p", { class: "muted small" }, "Asking …"));
    return;
  }
  const given = Object.values(found.values);
  if (!given.length) {
    fill(element, h("p", { class: "muted small" }, "No move is left."));
    return;
  }
  const low = Math.min(...given), high = Math.max(...given);
  const width = (value) => (high === low ? 100 : 12 + (88 * (value - low)) / (high - low));
  const rows = ALL.flatMap((direction) => {
    const value = found.values[direction];
    const best = direction === found.best;
    const bar = h("i", {});
    bar.style.width = `${value === undefined ? 0 : width(value)}%`;
    return [
      h("span", { class: best ? "is-best" : "" }, `${ARROWS[direction]} ${direction}`),
      h("span", { class: best ? "bar best" : "bar", "aria-hidden": "true" }, bar),
      h("span", { class: `number ${best ? "is-best" : "muted"}` }, value === undefined ? "no move" : `${worth(found, value)}${best ? " · best" : ""}`),
    ];
  });
  fill(element, h("div", { class: "directions" }, rows),
    h("p", { class: "muted small" }, explained(found)));
}
