// How a game was played: accuracy of each side, and its blunders to go back to.

import { h, percent, plural } from "../dom.js";
import { CHANGE } from "./words.js";

// jump(number) shows the position before a move.
export function scorecard({ steps, x, o }, game, jump) {
  const sides = [["X", x], ["O", o]];
  return h("section", { class: "card", "aria-label": "Scorecard" },
    h("h2", {}, "Scorecard"),
    h("div", { class: "stack" }, sides.map(([side, card]) => half(side, card, steps, game.player(side), jump))));
}

function half(side, card, steps, player, jump) {
  const name = h("h3", {}, h("span", { class: `side-${side.toLowerCase()}` }, side), ` · ${player || "you"}`);
  const blunders = card.blunders.map((number) =>
    h("li", {}, h("button", { class: "link", onclick: () => jump(number) }, `Move ${number + 1}, ${steps[number].move}`), h("span", { class: "muted" }, `: ${CHANGE[steps[number].blunder] ?? steps[number].blunder}`)));
  const accuracy = card.decisions ? h("div", { class: "score-line" }, h("span", { class: "big number" }, percent(card.accuracy, 0)), h("span", { class: "muted small" }, `${card.kept} of ${plural(card.decisions, "decision")} kept the value`)) : null;
  return h("div", { class: "stack tight" }, name, accuracy, blunders.length ? h("ul", { class: "small" }, blunders) : null,
    h("p", { class: "muted small" }, remark(card)));
}

// What the number above does not say.
function remark({ decisions, unknown, blunders }) {
  const rest = unknown ? `${plural(unknown, "move")} cannot be judged: the truth there is not known.` : "";
  if (decisions) return [blunders.length ? "" : "No blunder.", rest].filter(Boolean).join(" ");
  return unknown ? rest : "No move could change the value.";
}
