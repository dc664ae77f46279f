// Where a game stands: whose turn, how it ended; for the eye and for the ear.

import { fill, h } from "../dom.js";
import { valueWords } from "./words.js";

const named = (side) => h("b", { class: side.toLowerCase() }, side);

// `go()` lets the player move whose turn it is.
export function showStatus(element, { game, position, values, thinking, go }) {
  const side = position.to_move;
  if (position.over) {
    const what = position.winner ? [named(position.winner), " wins"] : ["A draw"];
    fill(element, h("span", { class: "turn" }, ...what), h("span", { class: "what" }, verdict(game, position)));
  } else if (thinking) {
    fill(element, h("span", { class: "turn" }, named(side), " is thinking"), h("span", { class: "what" }, game.player(side)));
  } else {
    const turn = game.alone || game.player(side) ? [named(side), " to move"] : ["Your move, ", named(side)];
    const known = values && values.value !== "unknown" ? [h("span", { class: `chip ${values.value}` }, values.label), h("span", { class: "what" }, valueWords(values.value, values.distance))] : [];
    fill(element, h("span", { class: "turn" }, ...turn), ...known, game.player(side) ? h("button", { onclick: go }, "Let it move") : null);
  }
}

export function showFailure(element, error, again, startOver) {
  fill(element, h("span", { class: "error", role: "alert" }, error.message), h("button", { onclick: again }, "Try again"),
    startOver ? h("button", { onclick: startOver }, "Start over") : null);
}

function verdict(game, { winner }) {
  if (game.alone || (game.x && game.o) || !winner) return "";
  return game.player(winner) ? "You lose this one." : "You win.";
}

export function statusWords({ game, position, values }) {
  const last = game.played.at(-1);
  const played = last ? `${game.sideAt(game.at - 1)} played ${last}. ` : "";
  if (position.over) return `${played}${position.winner ? `${position.winner} wins` : "A draw"}. ${verdict(game, position)}`;
  return `${played}${position.to_move} to move${values?.exact ? `, ${valueWords(values.value, values.distance)}` : ""}`;
}
