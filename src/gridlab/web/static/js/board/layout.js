// Where everything stands on the page of the board.

import { fill, h, s } from "../dom.js";
import { shortcuts } from "./keys.js";

// Fills `main`; gives the elements that change.
export function layout(main, page) {
  const { play, grid, switches, watch, setup, strip, analysis, transfer } = page;
  const made = {
    title: h("h1", {}, ""),
    about: h("p", { class: "muted small" }),
    status: h("div", { class: "status", role: "status" }),
    below: h("p", { class: "line-text number" }),
    players: h("div", { class: "stack" }),
    games: h("div", {}),
    card: h("div", {}),
    buttons: {
      first: h("button", { class: "square", "aria-label": "First move", title: "To the start", onclick: () => play.go(play.game.root, false) }, "⇤"),
      undo: h("button", { onclick: () => page.undo(), title: "U" }, "Undo"),
      redo: h("button", { onclick: () => page.redo(), title: "R" }, "Redo"),
      last: h("button", { class: "square", "aria-label": "Last move", title: "To the end", onclick: () => play.go(play.at.line.at(-1), false) }, "⇥"),
    },
  };
  const whole = h("button", { class: "square wide-only", "aria-label": "Full screen", title: "Full screen (F)", onclick: () => page.fullScreen() },
    s("svg", { viewBox: "0 0 16 16", width: 16, height: 16, fill: "none", stroke: "currentColor", "stroke-width": 1.6, "aria-hidden": "true" }, s("path", { d: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4" })));
  made.board = h("section", { class: "card board-card", "aria-label": "Game", onkeydown: shortcuts(page) },
    h("div", { class: "board-head" }, h("div", {}, made.title, made.about), made.status),
    grid.element, made.below,
    h("div", { class: "row spread" },
      h("div", { class: "toolbar" }, h("div", { class: "joined" }, ...Object.values(made.buttons)), h("button", { onclick: () => page.restart(), title: "N" }, "New game"), watch.element),
      h("div", { class: "toolbar" }, switches.element, whole)));
  const side = h("section", { class: "card", "aria-label": "Game and players" }, h("h2", {}, "Game"), h("div", { class: "stack" }, made.games, made.players,
    h("div", { class: "toolbar" }, h("button", { onclick: () => page.analyse() }, "Analysis board"), h("button", { onclick: () => page.beginSetup() }, "Set up a position"))));
  fill(main, h("div", { class: "columns" },
    h("div", { class: "column" }, made.board, setup.element, h("section", { class: "card", "aria-label": "History" }, strip.element)),
    h("div", { class: "column" }, made.card, analysis.element, side, transfer.element)));
  return made;
}
