// What each direction is worth, as a player sees it.

import { fill, h } from "../dom.js";

const ALL = ["up", "left", "right", "down"];
export const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" };

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
      h("span", { class: `number ${best ? "is-best" : "muted"}` }, value === undefined ? "no move" : `${value.toLocaleString("en", { maximumFractionDigits: 1 })}${best ? " · best" : ""}`),
    ];
  });
  fill(element, h("div", { class: "directions" }, rows),
    h("p", { class: "muted small" }, found.exact ? "Exact: points to come with perfect play." : `An opinion of ${found.player}, on its own scale.`));
}
