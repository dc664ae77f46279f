// What stands around the board of 2048: the adviser, the board and the seed, the score over the game, links and records.

import { get } from "../api.js";
import { lines } from "../charts.js";
import { counted, field, fill, h, number, plural, select } from "../dom.js";
import { playerPicker } from "../player-picker.js";
import { link } from "../route.js";

const SIZES = ["2048", "2048:3x3", "2048:3x4", "2048:5x5", "2048:2x3", "2048:2x2"];
const OFTEN = 400; // milliseconds between two drawings of the chart

export function boardName(rules) {
  const [, size, odds] = rules.split(":");
  return `2048${size ? ` ${size.replace("x", "×")}` : ""}${odds ? `, ${Number((100 * odds).toFixed(1))} % fours` : ""}`;
}

const card = (name, ...children) => h("section", { class: "card", "aria-label": name }, h("h2", {}, name), h("div", { class: "stack" }, children));

export function adviserCard({ rules, player, choose }) {
  return h("section", { class: "stack tight", "aria-label": "Advice" }, playerPicker({ name: "Adviser", game: rules, chosen: player, choose }),
    h("p", { class: "help" }, "Says what each direction is worth, gives hints, plays by itself, and names the worst moves when a game is over."));
}

// change(rules) goes on with the game of another board; begin(seed) begins one on this board.
export function boardCard({ rules, change, begin }) {
  const seed = number("", 0, 1e15, () => {}); // the placeholder is that of this game
  const own = h("input", { type: "text", value: rules, spellcheck: false, placeholder: "2048:5x4:0.2" });
  const ownForm = h("form", { class: "stack tight", hidden: SIZES.includes(rules), onsubmit: (event) => { event.preventDefault(); change(own.value.trim()); } },
    field("Rules", own, "Rows, columns, and the share of fours: 2048:5x4:0.2"), h("button", { type: "submit" }, "Use these rules"));
  const sizes = [...SIZES.map((each) => [each, each === "2048" ? "4×4" : each.replace("2048:", "").replace("x", "×")]), ["own", "Of your own …"]];
  const size = select(sizes, SIZES.includes(rules) ? rules : "own", (value) => {
    ownForm.hidden = value !== "own";
    if (value !== "own") change(value);
  });
  const again = h("form", { class: "stack tight", onsubmit: (event) => { event.preventDefault(); begin(Math.min(1e15, Math.max(0, Math.floor(Number(seed.value || seed.placeholder) || 0)))); } },
    field("Seed", seed, "New tiles depend only on the seed and the number of the move."), h("button", { type: "submit" }, "Begin with this seed"));
  return card("Board and seed", field("Board", size), ownForm, again);
}

export function keepCard({ share, save }) {
  const files = h("ul", { class: "list" });
  const saveButton = h("button", { onclick: save }, "Save record");
  get("/files").then((found) => {
    const games = found.filter((each) => each.kind === "games2048");
    fill(files, games.map((each) => h("li", {}, h("a", { href: link("data", { file: each.path }) }, h("span", { class: "path" }, each.path), h("span", { class: "muted" }, "replay")))));
  }, () => {});
  const element = card("Share and save", h("div", { class: "toolbar" }, h("button", { onclick: share }, "Copy link"), saveButton),
    h("p", { class: "help" }, "The browser keeps the game. A link carries all its moves; a finished game can be saved as a line of JSON, and files of games in the served folder can be replayed."), files);
  const draw = ({ over }) => {
    saveButton.disabled = !over;
    saveButton.title = over ? "" : "When the game is over";
  };
  return { element, draw };
}

// The score over the game, drawn now and then.
export class Chart {
  constructor() {
    this.paper = h("div", {});
    this.element = card("Score over the game", this.paper);
  }

  draw({ history, moves, state }) {
    this.what = { history, moves, state };
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.paint(this.what);
    }, OFTEN);
  }

  stop() {
    clearTimeout(this.timer);
  }

  paint({ history, moves, state }) {
    if (history.length < 3) fill(this.paper, h("p", { class: "muted small" }, "It is drawn here as the game goes on."));
    else fill(this.paper, lines({ title: `Score after each of ${plural(moves.length, "move")}: ${counted(state.score)} now`, series: [{ points: history }], below: "move", low: 0 }));
  }
}
