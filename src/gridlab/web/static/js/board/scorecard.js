// How a game was played: accuracy of each side, and its blunders to go back to.

import { h, percent, plural } from "../dom.js";
import { CHANGE } from "./words.js";

export function scorecard(review, game, jump) {
  const sides = [["X", review.x], ["O", review.o]];
  return h("section", { class: "card", "aria-label": "Scorecard" },
    h("h2", {}, "Scorecard"),
    h("div", { class: "stack" }, sides.map(([side, card]) => half(side, card, review.steps, game.player(side), jump))));
}

function half(side, card, steps, player, jump) {
  const name = h("h3", {}, h("span", { class: `side-${side.toLowerCase()}` }, side), ` · ${player || "you"}`);
  if (!card.decisions) return h("div", {}, name, h("p", { class: "muted small" }, "No move could change the value."));
  const blunders = card.blunders.map((number) =>
    h("li", {}, h("button", { class: "link", onclick: () => jump(number) }, `Move ${number + 1}, ${steps[number].move}`), h("span", { class: "muted" }, `: ${CHANGE[steps[number].blunder] ?? steps[number].blunder}`)));
  return h("div", { class: "stack tight" }, name,
    h("div", { class: "score-line" }, h("span", { class: "big number" }, percent(card.accuracy, 0)), h("span", { class: "muted small" }, `${card.kept} of ${plural(card.decisions, "decision")} kept the value`)),
    blunders.length ? h("ul", { class: "small" }, blunders) : h("p", { class: "muted small" }, "No blunder."));
}
