// A game as the page holds it: its rules, its players, its tree of moves, and the position that is shown.

import { gameName } from "../game-picker.js";
import { textOf, treeOf } from "./tree.js";

const PERSON = "you"; // in an address
export const PLAIN = { game: "tictactoe", x: "", o: "perfect errs=0.2" };

export class Game {
  constructor({ game = PLAIN.game, start = "", moves = "", at = null, x = "", o = PLAIN.o, seed = null } = {}) {
    Object.assign(this, { game: gameName(game), start, x, o });
    this.root = treeOf(moves);
    const nodes = this.root.all;
    this.at = at === null ? this.root.line.at(-1) : nodes[Math.max(0, Math.min(at, nodes.length - 1))];
    this.seed = seed ?? Math.floor(Math.random() * 1e9);
  }

  static of(parameters, otherwise) {
    const text = (name, fallback) => parameters.get(name) ?? fallback;
    const who = (name) => (parameters.get(name) === PERSON ? "" : text(name, otherwise[name]));
    const whole = (name) => (/^\d{1,15}$/.test(text(name, "")) ? Number(text(name)) : null);
    return new Game({ game: text("game", otherwise.game), start: text("start", ""), moves: text("moves", ""), at: whole("at"), x: who("x"), o: who("o"), seed: whole("seed") });
  }

  // What an address holds of it.
  parameters() {
    const { game, start, root, at, x, o, seed } = this;
    const first = root.all.indexOf(at), last = firstLine(root);
    return { game, start, moves: textOf(root), at: at === last ? null : first, x: x || PERSON, o: o || PERSON, seed };
  }

  get firstSide() {
    return this.start.replaceAll(/[^XO]/g, "").length % 2 === 0 ? "X" : "O";
  }

  // Who is to move at a node, known before the server has said anything.
  sideAt(node) {
    return (node.depth % 2 === 0) === (this.firstSide === "X") ? "X" : "O";
  }

  player(side) {
    return side === "X" ? this.x : this.o;
  }

  // The player whose turn it is at a node; "" is a person.
  playerAt(node) {
    return this.player(this.sideAt(node));
  }

  get alone() {
    return !this.x && !this.o;
  }

  get watched() {
    return Boolean(this.x && this.o);
  }
}

function firstLine(root) {
  let node = root;
  while (node.children.length) node = node.children[0];
  return node;
}
