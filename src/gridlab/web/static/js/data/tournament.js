// A tournament: who is how strong, and who scored what against whom.

import { ranges, table } from "../charts.js";
import { counted, fill, h, plural } from "../dom.js";
import { runJob } from "../job-card.js";
import { link } from "../route.js";
import { card, facts } from "./card.js";

export function tournament(element, file) {
  const progress = h("div", {}), found = h("div", { class: "column" });
  fill(element, progress, found);
  const work = runJob(progress, "tournament", { file: file.path });
  work.done.then((got) => fill(found, ...shown(file, got)), () => {});
  return () => work.cancel();
}

function signed(elo) {
  const size = Math.abs(elo).toFixed(0);
  return size === "0" ? size : `${elo < 0 ? "−" : "+"}${size}`;
}

function shown(file, got) {
  const pairings = (got.players.length * (got.players.length - 1)) / 2;
  const elos = got.ranking.map((each) => ({ name: each.player, value: each.elo, low: each.elo_interval[0], high: each.elo_interval[1] }));
  const ranks = got.ranking.map((each, rank) => [String(rank + 1), each.player, signed(each.elo), each.elo_interval.map(signed).join(" to "), `${each.points} of ${counted(each.games)}`]);
  return [
    card(file.path,
      facts([["Game", got.rules], ["Players", counted(got.players.length)], ["Pairings played", `${counted(got.matches.length)} of ${counted(pairings)}`], ["Games a pairing", counted(got.games)], ["Openings", got.openings], ["Seed", String(got.seed)]]),
      got.faults.length ? h("p", { class: "error" }, `${plural(got.faults.length, "game")} ended by a fault, the first: ${got.faults[0]}`) : null),
    card("Ratings",
      ranges({ title: "Elo of each player with its 95 % interval, the strongest on top", rows: elos, below: "Elo, with 95 % intervals", format: signed }),
      table(["Rank", "Player", "Elo", "95 %", "Points"], ranks, "Ratings as a table")),
    card("Cross table", h("p", { class: "muted" }, "Points of the player on the left; each opens the games."), table(["Rank", "Player", ...got.ranking.map((_, rank) => `against ${rank + 1}`)], cross(file, got), "Points of each against each")),
  ];
}

function cross(file, got) {
  const order = got.ranking.map((each) => got.players.indexOf(each.player));
  const cell = (row, column) => {
    const points = got.cross_table[row][column];
    if (points === null) return row === column ? "·" : "";
    const pairing = [row, column].sort((a, b) => a - b).map((each) => String(each + 1).padStart(2, "0"));
    return h("a", { href: link("data", { file: `${file.path}/${pairing.join("-")}.jsonl` }) }, String(points));
  };
  return order.map((row, rank) => [String(rank + 1), got.players[row], ...order.map((column) => cell(row, column))]);
}
