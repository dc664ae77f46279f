// A solved board of 2048: how many boards there are, and what they are worth.

import { bars, lines, table } from "../charts.js";
import { counted, fill, h, percent } from "../dom.js";
import { runJob } from "../job-card.js";
import { link } from "../route.js";
import { card, facts } from "./card.js";

const ROWS = 24; // of the table; the charts have all
const BARS = 40;

export function tablebase2048(element, file) {
  const progress = h("div", {}), result = h("div", { class: "stack" });
  fill(element, card(file.path, progress, result));
  const work = runJob(progress, "tablebase2048", { file: file.path });
  work.done.then((found) => fill(element, ...shown(file, found)), () => {});
  return () => work.cancel();
}

function shown(file, found) {
  const score = found.target === "score";
  const worth = (value) => (score ? value.toLocaleString("en", { maximumFractionDigits: 2 }) : percent(value, 3));
  const every = Math.max(1, Math.ceil(found.layers.length / ROWS)), wide = Math.max(1, Math.ceil(found.layers.length / BARS));
  const some = found.layers.filter((_, number) => number % every === 0);
  return [
    card(file.path,
      facts([
        ["Game", found.rules], ["Values", score ? "expected points under best play" : `the chance of a ${found.target}`], ["Before a game begins", worth(found.start)],
        ["Boards to move, up to symmetry", counted(found.boards)], ["Of these over", counted(found.over)], ["Largest tile best kept in a corner", percent(found.corner_kept)],
      ]),
      h("p", {}, h("a", { class: "button", href: link("2048", { game: found.rules }) }, "Play on it"))),
    card("Boards by the sum of their tiles", bars({ title: "Boards by the sum of their tiles", rows: found.layers.filter((_, number) => number % wide === 0).map((each) => ({ name: String(each.sum), parts: [each.boards] })), below: "sum of tiles", beside: "boards" }),
      h("details", {}, h("summary", {}, "As a table"), table(["Sum", "To move", "Over", "One direction", "Tied", "Worth"], some.map((each) => [String(each.sum), each.boards, each.over, each.forced, each.tied, worth(each.mean)]), "Boards by sum"))),
    card("What a board is worth", lines({ title: "Mean value by the sum of tiles", series: [{ points: found.layers.map((each) => [each.sum, each.mean]) }], below: "sum of tiles", beside: score ? "points" : "chance", low: 0 })),
  ];
}
