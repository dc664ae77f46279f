// The page about the lab: what is exact and how it is known, keys, and the interface for programs.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { apiDocs } from "./api-docs.js";

const card = (title, ...children) => h("section", { class: "card", "aria-label": title }, h("h2", {}, title), h("div", { class: "stack" }, children));
const p = (...children) => h("p", {}, children);
const key = (name) => h("kbd", {}, name);
const chip = (text, kind = "") => h("span", { class: `chip ${kind}` }, text);

// #/about?section=values goes to what the chips on the board mean.
export function view(main, parameters) {
  const version = h("p", { class: "muted" });
  const docs = h("div", {}, h("p", { class: "muted" }, "Loading …"));
  const sections = { values: values(), puzzles: puzzles(), judged: judged(), keys: keys(), programs: programs(docs) };
  fill(main, h("div", { class: "page-head" }, h("h1", {}, "About"), version),
    h("div", { class: "halves" }, h("div", { class: "column" }, sections.values, sections.puzzles), h("div", { class: "column" }, sections.judged, sections.keys, sections.programs)));
  goTo(sections[parameters.get("section")]);
  get("/lab").then((lab) => { version.textContent = `gridlab ${lab.version}, behaviour version ${lab.behaviour}, serving ${lab.folder}`; }, () => {});
  get("/openapi.json").then((found) => fill(docs, apiDocs(found)), (error) => fill(docs, h("p", { class: "error" }, error.message)));
}

// Below the bar at the top, and the keyboard goes on from there.
function goTo(section) {
  if (!section) return;
  section.style.scrollMarginTop = "4.5rem";
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
  section.scrollIntoView();
}

function values() {
  return card("What is exact, and how it is known",
    p(chip("W3", "win"), " the player to move wins in 3 plies, whatever the other does; ", chip("L4", "loss"), " loses in 4 with the best defence; ", chip("D", "draw"), " draws. A ply is one move of one player: 3 plies are two moves of one and one of the other."),
    p("Such a value is a proof, not an estimate. It comes from a ", h("b", {}, "tablebase"), ", in which every position of a game was solved backwards from its ends and which can be verified block by block, or from a ", h("b", {}, "complete search"), " of everything that can follow. The page names which."),
    p("Where neither answers at once, the page shows ", chip("?"), " and, in italics, the ", h("em", {}, "opinion"), " of a Monte Carlo tree search from −1 to +1. It is not the truth, and is marked as such. The network's view is an opinion, too."),
    p("In 2048 the values of directions are what a player sees, points to come or a scale of its own; where a small board is solved, they are the expected points under best play, exactly."));
}

function puzzles() {
  return card("Puzzles and levels",
    p("A puzzle is a position in which most moves give something away: find one that keeps the win or the draw, or the direction worth most. Its level comes from the truth alone: the fewer moves are right, the harder it is; in 2048, the less the second-best direction gives away."),
    p("Players have levels as well: ", h("b", {}, "depth"), " is how many plies one looks ahead, ", h("b", {}, "playouts"), " how many games one tries in its head, and the strength of ", h("b", {}, "perfect"), " how often it gives the value away on purpose."));
}

function judged() {
  return card("How a move is judged",
    p("A move ", h("b", {}, "keeps the value"), " if a win stays a win and a draw a draw. Accuracy counts only moves that could change the value; others are not decisions. ", h("b", {}, "??"), " marks a move that gave the value away. Intervals contain the true value 95 times out of 100."));
}

function keys() {
  return card("Keys",
    p(key("Tab"), " enters the board, ", key("↑"), " ", key("↓"), " ", key("←"), " ", key("→"), " walk over it, ", key("Enter"), " plays."),
    p(key(","), " and ", key("."), " walk through the moves of a game, back and forward. ", key("U"), " undoes, ", key("R"), " redoes, ", key("H"), " switches hints, ", key("V"), " values, ", key("N"), " starts again."),
    p("In 2048 the arrow keys or ", key("W"), " ", key("A"), " ", key("S"), " ", key("D"), " slide. Among the puzzles ", key("N"), " goes to the next."));
}

function programs(docs) {
  return card("For programs", p("All of this is JSON under ", h("code", {}, "/api/v1"), "; ", h("a", { href: "/api/v1/openapi.json" }, "openapi.json"), " describes it."), h("details", {}, h("summary", {}, "The routes"), docs));
}
