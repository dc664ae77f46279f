// A trained network: what it is, and how it learnt.

import { get } from "../api.js";
import { legend, lines } from "../charts.js";
import { counted, fill, h, percent } from "../dom.js";
import { link } from "../route.js";
import { card, facts } from "./card.js";

const KINDS = [["", "ka"], ["second", "k3"], ["third", "k4"], ["fourth", "k5"]];
const OF_THE_ROUND = ["phase", "epsilon", "loss"];

export async function checkpoint(element, file) {
  const found = await get("/files/checkpoint", { file: file.path });
  const settings = Object.entries(found.settings).filter(([, value]) => typeof value !== "object");
  fill(element,
    card(found.path,
      facts([["Game", found.rules], ["Parameters", counted(found.parameters)], ["Episodes", found.episode === null ? "not said" : counted(found.episode)], ["Steps of learning", found.steps === null ? "not said" : counted(found.steps)]]),
      h("p", {}, h("a", { class: "button", href: link("board", { game: found.rules, x: "you", o: `dqn-minimax checkpoint=${found.path}` }) }, "Play against it")),
      h("details", {}, h("summary", {}, "Settings"), facts(settings.map(([name, value]) => [name, String(value)])))),
    ...curves(found.curve));
}

function curves(curve) {
  if (!curve.length) return [card("Learning curve", h("p", { class: "muted" }, "This file holds weights alone; training.safetensors of a training has its curve."))];
  const of = (name) => curve.filter((row) => name in row.values).map((row) => [row.episode, row.values[name]]);
  const rates = [...new Set(curve.flatMap((row) => Object.keys(row.values)))].filter((name) => !OF_THE_ROUND.includes(name));
  const loss = of("loss");
  const shown = [];
  if (loss.length > 1) shown.push(card("Loss", lines({ title: "Loss by episode", series: [{ points: loss }], below: "episode", beside: "loss", low: 0 })));
  const measured = rates.filter((name) => of(name).length > 1);
  if (measured.length) {
    shown.push(card("Score against opponents", lines({ title: "Score by episode", low: 0, high: 1, below: "episode", beside: "share of points", format: (value) => percent(value, 0), series: measured.map((name, number) => ({ points: of(name), kind: KINDS[number % 4][0] })) }), legend(...measured.map((name, number) => [KINDS[number % 4][1], name]))));
  }
  return shown;
}
