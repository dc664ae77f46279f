// Where a game stands: whose turn, how it ended, what is being done; for the eye and for the ear.

import { counted, fill, h } from "../dom.js";
import { valueWords } from "./words.js";

const named = (side) => h("b", { class: side.toLowerCase() }, side);
const what = (text) => h("span", { class: "what" }, text);

// `go()` lets the player move whose turn it is.
export function showStatus(element, { play, values, go }) {
  const { game, at, position, doing } = play;
  const side = position.to_move;
  if (position.over) {
    const won = position.winner ? [named(position.winner), " wins"] : ["A draw"];
    fill(element, h("span", { class: "turn" }, ...won), what(verdict(game, position)));
  } else if (play.thinking) {
    fill(element, h("span", { class: "turn" }, named(side), " is thinking"), what([game.player(side), doingWords(doing)].filter(Boolean).join(" · ")));
  } else {
    const turn = game.alone || game.player(side) ? [named(side), " to move"] : ["Your move, ", named(side)];
    const known = values && values.value !== "unknown" ? [h("span", { class: `chip ${values.value}` }, values.label), what(valueWords(values.value, values.distance))] : [];
    const waits = game.player(side) && !game.watched;
    fill(element, h("span", { class: "turn" }, ...turn), known, at.by && !known.length ? what(`${at.move}: ${at.by}`) : null, waits ? h("button", { onclick: go }, "Let it move") : null);
  }
}

// What takes a while: "looking at earlier positions, 3 of 10, 2 s".
export function doingWords(doing) {
  if (!doing) return "";
  const far = doing.total ? `${counted(doing.done)} of ${counted(doing.total)}` : "";
  return [doing.doing ?? "asking the server", far, doing.seconds > 1 ? `${doing.seconds} s` : ""].filter(Boolean).join(", ");
}

export function showFailure(element, error, again, startOver) {
  fill(element, h("span", { class: "error", role: "alert" }, error.message), h("button", { onclick: again }, "Try again"),
    startOver ? h("button", { onclick: startOver }, "Start over") : null);
}

function verdict(game, { winner }) {
  if (game.alone || game.watched || !winner) return "";
  return game.player(winner) ? "You lose this one." : "You win.";
}

export function statusWords({ game, at, position }, values) {
  const played = at.parent ? `${game.sideAt(at.parent)} played ${at.move}. ` : "";
  if (position.over) return `${played}${position.winner ? `${position.winner} wins` : "A draw"}. ${verdict(game, position)}`;
  return `${played}${position.to_move} to move${values?.exact ? `, ${valueWords(values.value, values.distance)}` : ""}`;
}
