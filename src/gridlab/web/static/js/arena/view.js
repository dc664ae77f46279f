// The page of the arena: matches and grades. Both stay as they are while another page is shown.

import { fill, h } from "../dom.js";
import { GradePanel } from "./grade.js";
import { MatchPanel } from "./match.js";

let panels = null;

export function view(main) {
  panels ??= [new MatchPanel(), new GradePanel()];
  fill(main, h("div", { class: "page-head" }, h("h1", {}, "Arena"), h("p", {}, "Players against each other, and against the truth.")),
    h("div", { class: "pair" }, panels.map((panel) => panel.element)));
}
