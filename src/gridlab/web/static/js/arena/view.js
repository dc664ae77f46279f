// The page of the arena: matches and grades.

import { fill, h } from "../dom.js";
import { GradePanel } from "./grade.js";
import { MatchPanel } from "./match.js";

export function view(main) {
  const panels = [new MatchPanel(), new GradePanel()];
  fill(main, h("div", { class: "page-head" }, h("h1", {}, "Arena"), h("p", {}, "Players against each other, and against the truth.")),
    h("div", { class: "pair" }, panels.map((panel) => panel.element)));
  return () => panels.forEach((panel) => panel.leave());
}
