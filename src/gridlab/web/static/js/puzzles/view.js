// The page of puzzles: find the move that keeps the win or the draw.

import { fill, h } from "../dom.js";

export function view(main) {
  fill(main, h("div", { class: "page-head" }, h("h1", {}, "Puzzles")));
}
