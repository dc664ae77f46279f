// Games of 2048: what they come to, and any of them replayed.

import { get } from "../api.js";
import { bars, table } from "../charts.js";
import { counted, fill, h, percent } from "../dom.js";
import { Replay } from "../game2048/replay.js";
import { runJob } from "../job-card.js";
import { card, facts } from "./card.js";

const PAGE = 24;

export async function games2048(element, file, parameters) {
  const found = await get("/files/games2048", { file: file.path, count: PAGE });
  const statistics = h("div", {}), progress = h("div", {}), place = h("div", {}), list = h("div", {});
  let replay = null;
  const open = (number) => {
    replay?.stop();
    replay = new Replay(file.path, number);
    fill(place, h("h3", {}, `Game ${number + 1}`), replay.element);
  };
  fill(element,
    card(file.path, facts([["Games", counted(found.total)], ["Moves", counted(found.samples)]]), progress, statistics),
    card("Replay", place, list));
  if (found.total) open(Math.min(Number(parameters.get("game")) || 0, found.total - 1));
  show(file, list, found, open);
  const work = runJob(progress, "statistics", { file: file.path });
  work.done.then((got) => fill(statistics, summary(got)), () => {});
  return () => { work.cancel(); replay?.stop(); };
}

function summary(got) {
  const rows = Object.entries(got.max_tiles).map(([tile, games]) => ({ name: tile, parts: [games] }));
  return h("div", { class: "stack" },
    facts([["Mean score", counted(got.mean_score)], ["Games with 2048 or more", `${counted(got.wins)} (${percent(got.wins / (got.games || 1))})`], ["Moves a game", counted(got.mean_moves)], ["Directions", Object.entries(got.directions).map(([name, times]) => `${name} ${percent(times / (got.samples || 1), 0)}`).join(", ")]]),
    bars({ title: "Games by their largest tile", rows, below: "largest tile", beside: "games" }),
    got.flags.length ? h("ul", { class: "small" }, got.flags.map((flag) => h("li", {}, flag))) : null,
    h("details", {}, h("summary", {}, "Percentiles"), table(["Percentile", ...Object.keys(got.score_percentiles).map((each) => `${each} %`)], [["Score", ...Object.values(got.score_percentiles)], ["Moves", ...Object.values(got.move_percentiles)]], "Percentiles of scores and moves")));
}

function show(file, element, { first, total, games }, open) {
  const rows = games.map((each) => [h("button", { class: "link", onclick: () => open(each.number) }, `Game ${each.number + 1}`), each.score, String(each.max_tile), each.moves]);
  const turn = (to) => () => page(file, element, to, open);
  fill(element, table(["Game", "Score", "Largest tile", "Moves"], rows, "Recorded games"),
    h("div", { class: "row" }, h("button", { disabled: first === 0, onclick: turn(Math.max(0, first - PAGE)) }, "Back"), h("button", { disabled: first + PAGE >= total, onclick: turn(first + PAGE) }, "Forward")));
}

async function page(file, element, first, open) {
  try {
    show(file, element, await get("/files/games2048", { file: file.path, first, count: PAGE }), open);
  } catch (error) {
    fill(element, h("p", { class: "error" }, error.message));
  }
}
