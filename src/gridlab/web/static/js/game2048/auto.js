// A player plays by itself, at a pace. Some moves are asked for together; what is left of them at a pause is dropped.

import { stream } from "../api.js";
import { QUIET } from "./game.js";

export const PACES = { slow: ["Slow", 700, 1], normal: ["Normal", 190, 6], fast: ["Fast", 16, 40] }; // milliseconds a move, moves of a request

export class Auto {
  // player() and pace() say who plays, and how fast; hear(what, more) is told "auto", "doing" and "trouble".
  constructor(game, { player, pace, hear }) {
    Object.assign(this, { game, player, pace, hear, turn: 0, on: false, ahead: [], asking: null });
  }

  async start(most = Infinity) {
    if (this.on || !this.game.state || this.game.state.over) return;
    const turn = ++this.turn;
    this.on = true;
    this.hear("auto");
    try {
      await this.run(turn, most);
    } catch (error) {
      if (error.name !== "AbortError") this.hear("trouble", error.message);
    }
    if (turn === this.turn) this.pause();
  }

  pause() {
    this.turn += 1;
    this.asking?.abort();
    this.asking = null;
    this.ahead = [];
    this.wake?.();
    if (!this.on) return;
    this.on = false;
    this.hear("doing", "");
    this.hear("auto");
    this.game.consult();
  }

  async run(turn, most) {
    for (let made = 0; made < most && !this.game.state.over; made += 1) {
      const [, pause, together] = PACES[this.pace()];
      await this.more(turn, Math.min(together, most - made));
      if (turn !== this.turn) return;
      this.game.take(this.ahead.shift());
      this.game.consult(QUIET);
      if (made + 1 < most) await new Promise((go) => setTimeout(go, pause));
      if (turn !== this.turn) return;
    }
  }

  // Resolved when there is a move to be made, or when this turn is over.
  async more(turn, count) {
    if (!this.ahead.length && !this.asking) this.ask(count);
    while (!this.ahead.length && this.asking) await new Promise((go) => { this.wake = go; });
    if (!this.ahead.length && turn === this.turn) throw this.error ?? new Error("The player gave no move.");
  }

  ask(count) {
    const { game } = this, { board, score, ply } = game.state, asking = new AbortController();
    this.asking = asking;
    this.error = null;
    const hear = ({ steps = [], doing = "" }) => {
      if (asking.signal.aborted) return;
      this.ahead.push(...steps);
      this.hear("doing", doing);
      this.wake?.();
    };
    this.hear("doing", `${this.player().split(" ")[0]} is thinking`);
    const body = { game: game.game, seed: game.seed, board, score, ply, player: this.player(), count };
    stream("/2048/play", body, hear, asking.signal).catch((error) => { this.error = error; }).finally(() => {
      if (this.asking === asking) this.asking = null;
      this.wake?.();
    });
  }
}
