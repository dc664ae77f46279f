// An n-tuple network of 2048: what it is, and how it learnt.

import { get } from "../api.js";
import { legend, lines } from "../charts.js";
import { counted, fill, h, percent } from "../dom.js";
import { card, facts } from "./card.js";

const KINDS = [["", "ka"], ["second", "k3"], ["third", "k4"], ["fourth", "k5"]];

export async function ntuple(element, file) {
  const found = await get("/files/ntuple", { file: file.path });
  fill(element,
    card(found.path,
      facts([
        ["Game", found.rules], ["Tuples", `${found.tuples.length}: ${found.tuples.join(" ")}`], ["Weights", counted(found.weights)], ["Games learnt from", counted(found.games)],
        ["Moves", counted(found.moves)], ...(found.minutes ? [["Time", spent(found.minutes)]] : []), ["Workers", counted(found.workers)],
      ]),
      h("p", {}, "It plays as ", h("code", {}, `ntuple file=${found.path}`), ", or looks ahead as ", h("code", {}, `expectimax evaluator=ntuple:${found.path} depth=3`), "."),
      h("details", {}, h("summary", {}, "Settings"), facts(Object.entries(found.settings).map(([name, value]) => [name, String(value)])))),
    ...curves(found.curve));
}

const spent = (minutes) => (minutes < 2 ? `${Number((60 * minutes).toPrecision(2))} s` : `${minutes.toLocaleString("en", { maximumFractionDigits: 1 })} min`);

function curves(curve) {
  if (curve.length < 2) return [card("Learning curve", h("p", { class: "muted" }, "Too few games for a curve."))];
  const tiles = [...new Set(curve.flatMap((row) => Object.keys(row.tile_rates)))].map(Number).filter((tile) => curve.some((row) => (row.tile_rates[tile] ?? 0) < 1)).sort((a, b) => a - b).slice(-KINDS.length);
  const rates = tiles.map((tile, number) => ({ points: curve.map((row) => [row.games, row.tile_rates[tile] ?? 0]), kind: KINDS[number][0] }));
  const shown = [
    card("Mean score", lines({ title: "Mean score by games learnt from", series: [{ points: curve.map((row) => [row.games, row.mean_score]) }], below: "games learnt from", beside: "points a game", low: 0 })),
  ];
  if (tiles.length) {
    shown.push(card("Games that reached a tile", lines({ title: "Share of games that reached a tile, by games learnt from", series: rates, below: "games learnt from", beside: "share of games", low: 0, high: 1, format: (value) => percent(value, 0) }), legend(...tiles.map((tile, number) => [KINDS[number][1], counted(tile)]))));
  }
  return shown;
}
