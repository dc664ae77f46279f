// Which game: one with a name, or rules of one's own.

import { field, h, number, select } from "./dom.js";

const TITLES = { tictactoe: "Tic-tac-toe 3×3", tictactoe4: "Tic-tac-toe 4×4", tictactoe5: "Tic-tac-toe 5×5", squava: "Squava" };
export const ABOUT = {
  squava: "Four in a row wins, three in a row loses, on 5×5.",
  tictactoe: "Three in a row wins.",
  tictactoe4: "Four in a row wins, on 4×4.",
  tictactoe5: "Five in a row wins, on 5×5.",
};

const NAMES = { "3x3:3": "tictactoe", "4x4:4": "tictactoe4", "5x5:5": "tictactoe5", "5x5:4-3": "squava" };

// The name of a game, if its rules have one.
export function gameName(game) {
  return NAMES[game] ?? game;
}

// Rows and columns of a game, before the server has said so: room for the board.
export function sizeOf(game) {
  const rules = Object.keys(NAMES).find((each) => NAMES[each] === game) ?? game;
  const found = /(\d+)x(\d+)/.exec(rules);
  return found ? [Number(found[1]), Number(found[2])] : [4, 4];
}

export function gameTitle(game) {
  return TITLES[game] ?? game.replace("x", "×");
}

// `choose(text)` is called with a name or rules.
export function gamePicker(chosen, choose, named = Object.keys(TITLES)) {
  const own = !named.includes(chosen);
  const found = /^(\d+)x(\d+):(\d*)(?:-(\d+))?$/.exec(chosen) ?? [null, 4, 5, 4, ""];
  const rules = { rows: found[1], cols: found[2], win: found[3], lose: found[4] ?? "" };
  const tell = () => choose(`${rules.rows}x${rules.cols}:${rules.win || ""}${rules.lose ? `-${rules.lose}` : ""}`);
  const part = (name, title, low) =>
    field(title, number(rules[name], low, 63, (value) => { rules[name] = value || ""; }, { placeholder: "none" }));
  const custom = h(
    "form",
    { class: "stack tight", hidden: !own, onsubmit: (event) => { event.preventDefault(); tell(); } },
    h("div", { class: "fields" }, part("rows", "Rows", 1), part("cols", "Columns", 1), part("win", "Wins", 1), part("lose", "Loses", 1)),
    h("button", { type: "submit" }, "Use these rules"),
  );
  const options = [...named.map((name) => [name, gameTitle(name)]), ["own", "Rules of your own …"]];
  const list = select(options, own ? "own" : chosen, (value) => {
    custom.hidden = value !== "own";
    if (value !== "own") choose(value);
  });
  return h("div", { class: "stack tight" }, field("Game", list), custom);
}
