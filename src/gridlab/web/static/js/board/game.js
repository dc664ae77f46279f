// A game in progress, as the page holds it: where it began, every move, and how far we have gone back.

import { gameName } from "../game-picker.js";

const PERSON = "you"; // in an address

export class Game {
  constructor({ game = "tictactoe", start = "", moves = [], at = null, x = "", o = "perfect", seed = null } = {}) {
    Object.assign(this, { game: gameName(game), start, moves, x, o });
    this.at = at === null ? moves.length : Math.max(0, Math.min(at, moves.length));
    this.seed = seed ?? Math.floor(Math.random() * 1e9);
  }

  static of(parameters, otherwise) {
    const text = (name, fallback) => parameters.get(name) ?? fallback;
    const who = (name) => (parameters.get(name) === PERSON ? "" : text(name, otherwise[name]));
    const whole = (name) => (/^\d{1,15}$/.test(text(name, "")) ? Number(text(name)) : null);
    const moves = text("moves", "").split(".").filter(Boolean);
    return new Game({ game: text("game", otherwise.game), start: text("start", ""), moves, at: whole("at"), x: who("x"), o: who("o"), seed: whole("seed") });
  }

  // What an address holds of it.
  parameters() {
    const { game, start, moves, at, x, o, seed } = this;
    return { game, start, moves: moves.join("."), at: at === moves.length ? null : at, x: x || PERSON, o: o || PERSON, seed };
  }

  get played() {
    return this.moves.slice(0, this.at);
  }

  // As the server takes it.
  asked() {
    return { game: this.game, start: this.start, moves: this.played, x: this.x, o: this.o, seed: this.seed };
  }

  play(move) {
    this.moves = [...this.played, move];
    this.at = this.moves.length;
  }

  get firstSide() {
    return this.start.replaceAll(/[^XO]/g, "").length % 2 === 0 ? "X" : "O";
  }

  // Who is to move after so many moves.
  sideAt(number) {
    return (number % 2 === 0) === (this.firstSide === "X") ? "X" : "O";
  }

  player(side) {
    return side === "X" ? this.x : this.o;
  }

  get alone() {
    return !this.x && !this.o;
  }
}
