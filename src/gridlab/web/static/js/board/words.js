// Values in words.

import { h, plural } from "../dom.js";

export function valueWords(value, distance) {
  if (value === "unknown") return "not known";
  if (value === "draw") return "draws";
  const verb = value === "win" ? "wins" : "loses";
  return distance === null ? verb : `${verb} in ${plural(distance, "ply", "plies")}`;
}

export function bounds(values) {
  const key = `${values.at_least} ${values.at_most}`;
  return { "loss draw": "no win", "draw win": "at least a draw" }[key] ?? "anything from a loss to a win";
}

export const CHANGE = { "win->draw": "a win became a draw", "win->loss": "a win became a loss", "draw->loss": "a draw became a loss" };

export function opinionWords(value) {
  return `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(value).toFixed(2)}`;
}

// What the chips on the board mean, right below it; or, where nothing is known, what the numbers in italics are.
export function legend(explained, exact) {
  const entry = (kind, label, words) => [h("span", { class: `chip ${kind}` }, label), ` ${words} `];
  const chips = [...entry("win", "W17", "wins in 17 plies"), ...entry("draw", "D", "draws"), ...entry("loss", "L4", "loses in 4"), "· a ply is one move of one player"];
  const words = exact ? [...chips, h("span", { class: "by-touch" }, " · hold a cell to see what follows")] : [h("em", {}, "+0.18"), " is what a tree search thinks, from −1 (loss) to +1 (win); it proves nothing"];
  return [...words, " · ", h("a", { href: explained }, "more")];
}

export function opinionLine({ move, value, visits, proved }) {
  const thinks = proved ? `proved: ${proved}` : `${opinionWords(value)}, not proved`;
  return `${move} ${thinks}, after ${plural(visits, "visit")} of the tree search, with those of symmetric moves`;
}
