// One game of 2048: whatever is pressed and whatever is answered goes through here.
//
// Input is queued and done in its order, however fast it comes; directions that wait together go into one request. The
// board is `states.at(-1)`, and what is known of a board is kept under that very state: an answer can never be shown
// beside another one. A request first brings what changes the board, then what an adviser says of it; the next moves do
// not wait for advice.

import { stream } from "../api.js";

const MOST = 400; // directions of a request
const MOST_STATES = 500; // that can be gone back to without asking
const MOST_POINTS = 400; // of the chart
export const QUIET = 220; // milliseconds without a move
const LATE = 1000; // milliseconds after which moves are sent again without waiting for an adviser
const BUSY = 1000; // milliseconds until a server that has too much to do is asked again

export class Game {
  // hear(what, more) is told "opened", "step", "moved" (back or forth), "advice", "doing", "queue", "trouble", "lost";
  // adviser(state) says who is to be asked about a state, or about the next one if there is none yet; "" for nobody.
  constructor({ hear, adviser }) {
    Object.assign(this, { hear, adviser, states: [], moves: [], later: [], history: [], queue: [], skipped: 0, known: new WeakMap(), request: null });
  }

  get state() {
    return this.states.at(-1);
  }

  get all() {
    return [...this.moves, ...this.later];
  }

  // What is known of the board: { player, found } or { player, doing } or { player, error }.
  get advice() {
    return this.state && this.known.get(this.state);
  }

  // ---- what is pressed

  open({ game, seed, moves = [], at = moves.length }) {
    this.close();
    Object.assign(this, { game, seed, states: [], moves: moves.slice(0, at), later: moves.slice(at), history: [], skipped: 0 });
    this.gone = false;
    this.add({ ply: at, opens: true });
  }

  press(direction) {
    this.add(direction);
  }

  undo() {
    this.add({ back: true });
  }

  redo() {
    this.add({ forth: true });
  }

  goTo(ply) {
    this.add({ ply });
  }

  close() {
    this.gone = true;
    this.queue = [];
    this.request?.abort();
    clearTimeout(this.quiet);
  }

  // The server is there again.
  resume() {
    this.away = false;
    if (this.advice?.error) this.known.delete(this.state);
    this.pump();
    this.consult();
  }

  add(input) {
    this.queue.push(input);
    this.pump();
  }

  // ---- the queue

  async pump() {
    if (this.pumping) return;
    this.pumping = true;
    while (this.queue.length && !this.away) {
      this.hear("queue");
      try {
        await this.next();
      } catch (error) {
        await this.failed(error);
      }
    }
    this.pumping = false;
    if (this.gone) return;
    this.hear("queue");
    this.consult();
  }

  // The first of what waits, and with a direction all directions behind it.
  async next() {
    const queue = this.queue, [first] = queue;
    if (!this.state && !first.opens) {
      queue.shift(); // there is no game
    } else if (typeof first === "string") {
      if (!this.state.moves.includes(first)) {
        this.skipped += 1;
        queue.shift();
        return;
      }
      const end = queue.findIndex((each) => typeof each !== "string");
      const directions = queue.slice(0, end < 0 ? MOST : Math.min(end, MOST));
      this.hasty ||= Boolean(this.request?.player); // the adviser was not fast enough and is asked when it is quiet
      await this.ask({ directions }, this.hasty ? "" : this.adviser(null));
      queue.splice(0, directions.length);
    } else if (first.forth) {
      queue.splice(0, 1, ...this.later.slice(0, 1));
    } else if (first.back && (this.states.length > 1 || !this.moves.length)) {
      queue.shift();
      if (this.moves.length) this.takeBack();
    } else {
      const ply = first.back ? this.moves.length - 1 : first.ply;
      await this.ask({ moves: this.all.slice(0, ply) }, this.adviser(null));
      queue.shift();
      this.hear(first.opens ? "opened" : "moved");
    }
  }

  async failed(error) {
    if (error.name === "AbortError") return;
    if (error.status === 0) {
      this.away = true; // what waits goes on waiting
    } else if (error.status === 429) {
      await new Promise((go) => setTimeout(go, BUSY));
    } else if (this.queue.shift()?.opens) {
      this.queue = [];
      this.hear("lost", error.message);
    } else {
      this.hear("trouble", error.message);
    }
  }

  // ---- requests

  // Resolved when the board is what was asked for; what an adviser says of it may come later.
  ask(more, player) {
    const before = this.request;
    if (before?.player || !before?.about) before?.abort(); // else only its end is outstanding
    const request = Object.assign(new AbortController(), { player });
    this.request = request;
    return new Promise((resolve, reject) => {
      const changed = () => {
        request.about = this.state;
        if (player) this.tell(request.about, { player, doing: "" });
        resolve();
      };
      const again = player && more.directions ? setTimeout(() => {
        if (request.about || request.signal.aborted) return;
        request.resent = true;
        this.ask(more, "").then(resolve, reject);
      }, LATE) : null;
      const hear = (part) => {
        if (request.signal.aborted) return;
        if (part.part === "state") this.place(part);
        if (part.part === "steps") this.step(part);
        if (part.part === "state" || part.part === "steps") changed();
        else if (!request.about) this.hear("doing", part.doing);
        else if (part.part === "doing") this.tell(request.about, { player, doing: part.doing });
        else this.tell(request.about, { player, found: part });
      };
      if (!more.directions && !more.moves) changed();
      stream("/2048/play", this.body(more, player), hear, request.signal).catch((error) => {
        if (request.about) this.missed(request, player, error);
        else if (!request.resent) reject(error);
      }).finally(() => {
        clearTimeout(again);
        if (this.request === request) this.request = null;
        this.consult();
      });
    });
  }

  body(more, values) {
    const { game, seed } = this;
    if (more.moves) return { game, seed, values, ...more };
    const { board, score, ply } = this.state;
    return { game, seed, board, score, ply, values, ...more };
  }

  tell(state, what) {
    this.known.set(state, what);
    if (state === this.state && !this.gone) this.hear("advice");
  }

  missed({ about, signal }, player, error) {
    if (this.known.get(about)?.found) return;
    if (signal.aborted) this.known.delete(about);
    else this.tell(about, { player, error: error.message });
  }

  // Ask about the board that is there, unless that is known, or is being asked, or moves are under way.
  consult(wait = this.request || this.hasty ? QUIET : 0) {
    clearTimeout(this.quiet);
    if (this.gone || this.pumping || this.away || !this.state || this.state.over) return;
    this.quiet = setTimeout(() => {
      this.hasty = false;
      const player = this.adviser(this.state);
      if (this.pumping || this.gone || !player || this.advice?.player === player) return;
      this.ask({}, player).catch(() => {});
    }, wait);
  }

  // ---- what is answered

  place({ state, before, history }) {
    const all = this.all;
    this.game = state.rules;
    this.states = [...before, state];
    this.moves = all.slice(0, state.ply);
    this.later = all.slice(state.ply);
    this.history = history;
  }

  step({ steps, skipped }) {
    this.skipped += skipped;
    for (const each of steps) this.take(each);
  }

  // A move that was made: by the visitor, or by a player in the name of the visitor.
  take(step) {
    const { state, direction } = step;
    this.states.push(state);
    if (this.states.length > MOST_STATES) this.states.shift();
    this.moves.push(direction);
    this.later = this.later[0] === direction ? this.later.slice(1) : [];
    this.history.push([state.ply, state.score]);
    if (this.history.length > MOST_POINTS) this.history = this.history.filter((_, at) => at % 2 === 0 || at === this.history.length - 1);
    this.hear("step", step);
  }

  takeBack() {
    this.states.pop();
    this.later.unshift(this.moves.pop());
    this.history = this.history.filter(([ply]) => ply <= this.moves.length);
    this.hear("moved");
  }
}
