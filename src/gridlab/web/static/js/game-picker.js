// Which game: one with a name, or rules of one's own.

import { field, fill, h, number, select } from "./dom.js";

const MOST_CELLS = 63;
const TITLES = { tictactoe: "Tic-tac-toe 3×3", tictactoe4: "Tic-tac-toe 4×4", tictactoe5: "Tic-tac-toe 5×5", squava: "Squava", "2048": "2048", "2048:2x3": "2048 on 2×3", "2048:2x2": "2048 on 2×2" };
const NAMES = { "3x3:3": "tictactoe", "4x4:4": "tictactoe4", "5x5:5": "tictactoe5", "5x5:4-3": "squava" };
const NUMBERS = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

// The name of a game, if its rules have one.
export function gameName(game) {
  return NAMES[game] ?? game;
}

function rulesOf(game) {
  return Object.keys(NAMES).find((each) => NAMES[each] === game) ?? game;
}

// Rows and columns of a game, before the server has said so: room for the board.
export function sizeOf(game) {
  const found = /(\d+)x(\d+)/.exec(rulesOf(game));
  return found ? [Number(found[1]), Number(found[2])] : [4, 4];
}

export function gameTitle(game) {
  return TITLES[game] ?? game.replace("x", "×");
}

function read(game) {
  const found = /^(\d+)x(\d+):(\d*)(?:-(\d+))?$/.exec(rulesOf(game));
  return found && (found[3] || found[4]) ? { rows: found[1], cols: found[2], win: found[3], lose: found[4] ?? "" } : null;
}

// A sentence on any in-a-row rules, named or not; "" if they cannot be read.
export function aboutGame(game) {
  const rules = read(game);
  if (!rules) return "";
  const line = (length, verb) => `${NUMBERS[length] ?? length} in a row ${verb}${Number(length) === 1 ? "s" : ""}`;
  const said = [rules.win && line(rules.win, "win"), rules.lose && line(rules.lose, "lose"), `on ${rules.rows}×${rules.cols}`].filter(Boolean).join(", ");
  return `${said[0].toUpperCase()}${said.slice(1)}.`;
}

// Fields for rules of one's own; their limits follow one another.
function ruleFields(rules, changed) {
  const inputs = {};
  const part = (name, title, placeholder) => {
    inputs[name] = number(rules[name], 1, MOST_CELLS, null, { placeholder, oninput: () => { rules[name] = inputs[name].value; limit(); changed(); } });
    return field(title, inputs[name]);
  };
  const limit = () => {
    const longest = Math.max(rules.rows, rules.cols) || MOST_CELLS;
    inputs.rows.max = Math.floor(MOST_CELLS / (rules.cols || 1));
    inputs.cols.max = Math.floor(MOST_CELLS / (rules.rows || 1));
    inputs.win.max = longest;
    inputs.lose.max = rules.win ? Math.min(longest, rules.win - 1) : longest;
  };
  const element = h("div", { class: "fields" }, part("rows", "Rows"), part("cols", "Columns"), part("win", "In a row to win", "none"), part("lose", "In a row that loses", "none"));
  limit();
  return element;
}

// `choose(text)` is called with a name or rules. If it gives a promise that fails, its words are told here, and the game
// that was chosen before stays.
export function gamePicker(chosen, choose, named = ["tictactoe", "tictactoe4", "tictactoe5", "squava"]) {
  const own = !named.includes(chosen);
  const rules = (own && read(chosen)) || { rows: "4", cols: "5", win: "4", lose: "" };
  const text = () => `${rules.rows}x${rules.cols}:${rules.win}${rules.lose ? `-${rules.lose}` : ""}`;
  const about = h("p", { class: "help" }, aboutGame(text()));
  const trouble = h("div", {});
  let last = own ? "own" : chosen;
  const ask = async (game, option) => {
    fill(trouble);
    try {
      await choose(game);
      last = option;
    } catch (error) {
      if (option !== "own") list.value = last;
      custom.hidden = list.value !== "own";
      fill(trouble, h("p", { class: "error", role: "alert" }, error.message));
    }
  };
  const custom = h("form", { class: "stack tight", novalidate: true, hidden: !own, onsubmit: (event) => { event.preventDefault(); event.stopPropagation(); ask(text(), "own"); } },
    ruleFields(rules, () => { about.textContent = aboutGame(text()); fill(trouble); }), about, h("div", {}, h("button", { type: "submit" }, "Use these rules")));
  const options = [...named.map((name) => [name, gameTitle(name)]), ["own", "Rules of your own …"]];
  const list = select(options, last, (value) => {
    custom.hidden = value !== "own";
    fill(trouble);
    if (value !== "own") ask(value, value);
  });
  return h("div", { class: "stack tight" }, field("Game", list), custom, trouble);
}
