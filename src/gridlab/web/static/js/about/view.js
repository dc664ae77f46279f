// The page about the lab: what is exact and how it is known, keys, and the interface for programs.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { apiDocs } from "./api-docs.js";

const card = (title, ...children) => h("section", { class: "card", "aria-label": title }, h("h2", {}, title), h("div", { class: "stack" }, children));
const p = (...children) => h("p", {}, children);

export function view(main) {
  const version = h("p", { class: "muted" });
  const docs = h("div", {}, h("p", { class: "muted" }, "Loading …"));
  fill(main, h("div", { class: "page-head" }, h("h1", {}, "About"), version),
    h("div", { class: "halves" }, h("div", { class: "column" },
      card("What is exact, and how it is known",
        p(h("span", { class: "chip win" }, "W3"), " the player to move wins in 3 plies, whatever the other does; ", h("span", { class: "chip loss" }, "L4"), " loses in 4 with the best defence; ", h("span", { class: "chip draw" }, "D"), " draws. A ply is one move of one player."),
        p("Such a value is a proof, not an estimate. It comes from a ", h("b", {}, "tablebase"), ", in which every position of a game was solved backwards from its ends and which can be verified block by block, or from a ", h("b", {}, "complete search"), " of everything that can follow. The page names which."),
        p("Where neither answers at once, the page shows ", h("span", { class: "chip" }, "?"), " and, in italics, the ", h("em", {}, "opinion"), " of a Monte Carlo tree search from −1 to +1. It is not the truth, and is marked as such. The network's view is an opinion, too."),
        p("In 2048 the values of directions are what a player sees, points to come or a scale of its own; where a small board is solved, they are the expected points under best play, exactly."))), h("div", { class: "column" },
      card("How a move is judged",
        p("A move ", h("b", {}, "keeps the value"), " if a win stays a win and a draw a draw. Accuracy counts only moves that could change the value; all others are no decision. Intervals hold the true value 95 times of 100.")),
      card("Keys",
        p(h("kbd", {}, "Tab"), " enters the board, ", h("kbd", {}, "↑"), " ", h("kbd", {}, "↓"), " ", h("kbd", {}, "←"), " ", h("kbd", {}, "→"), " walk over it, ", h("kbd", {}, "Enter"), " plays. On the board ", h("kbd", {}, "U"), " undoes, ", h("kbd", {}, "R"), " redoes, ", h("kbd", {}, "H"), " switches hints, ", h("kbd", {}, "V"), " values, ", h("kbd", {}, "N"), " begins anew."),
        p("In 2048 the arrow keys or ", h("kbd", {}, "W"), " ", h("kbd", {}, "A"), " ", h("kbd", {}, "S"), " ", h("kbd", {}, "D"), " slide.")),
      card("For programs", p("All of this is JSON under ", h("code", {}, "/api/v1"), "; ", h("a", { href: "/api/v1/openapi.json" }, "openapi.json"), " describes it."), h("details", {}, h("summary", {}, "The routes"), docs)))));
  get("/lab").then((lab) => { version.textContent = `gridlab ${lab.version}, behaviour version ${lab.behaviour}, serving ${lab.folder}`; }, () => {});
  get("/openapi.json").then((found) => fill(docs, apiDocs(found)), (error) => fill(docs, h("p", { class: "error" }, error.message)));
}
