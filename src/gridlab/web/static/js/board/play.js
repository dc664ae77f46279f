// The one place that moves and answers go through. A move is shown at once and sent; while it is on its way further
// moves of people wait here and go together with the next request. Each answer belongs to the request that asked for
// it: when another was sent since, or the game has changed, it is dropped.

import { stream } from "../api.js";
import { boardAfter } from "./lines.js";

const QUIET = 300; // milliseconds after which is said what is being done

export class Play {
  // changed() when anything that is shown may be different; wants(node, moves) gives { values, opinion, network, review },
  // of a position that moves lead to, or all that is still missing of this one.
  constructor(game, { changed, wants }) {
    Object.assign(this, { game, changed, wants, request: null, error: null, number: 0 });
  }

  get at() {
    return this.game.at;
  }

  get position() {
    return this.at.position;
  }

  // A player is finding its move for the position that is shown.
  get thinking() {
    return Boolean(this.request?.reply && this.request.node === this.at);
  }

  // What is being done, once it takes a while: { doing, done, total, seconds }.
  get doing() {
    const since = this.request ? performance.now() - this.request.begun : 0;
    return since > QUIET ? { ...this.request.doing, seconds: Math.floor(since / 1000) } : null;
  }

  // Whether a person can play a cell now.
  open(cell) {
    const { position } = this;
    return Boolean(position && !position.over && !this.game.playerAt(this.at) && position.board.replaceAll("/", "")[cell] === ".");
  }

  play(move, cell) {
    if (!this.open(cell)) return false;
    const node = this.at.child(move);
    node.position ??= guess(this.position, cell);
    this.go(node);
    return true;
  }

  // Show another position.
  go(node, reply = this.replies(node)) {
    this.game.at = node;
    node.visit();
    this.send(reply);
  }

  // Whether a player answers unasked: where the game has not gone on yet, and a person plays the other side.
  replies(node) {
    return !node.children.length && !this.game.watched;
  }

  // Ask for what is missing of the position that is shown, and for the move of the player whose turn it is.
  send(reply = this.replies(this.at)) {
    const { request, at } = this;
    if (request && !request.confirmed && isAbove(request.node, at)) {
      this.changed(); // what was just played goes with the next request
      return;
    }
    this.stop();
    this.error = null;
    this.drop(at);
    const from = at.path.findLast((each) => !each.position?.guessed);
    const next = at.path.slice(from.depth + 1);
    const answers = Boolean(reply && this.game.playerAt(at) && !at.position?.over);
    const moves = Boolean(next.length || answers || !at.position);
    const wants = this.wants(at, moves);
    if (moves || wants.values || wants.network || wants.review !== "no") this.ask({ node: at, from, next, reply: answers }, wants);
    this.changed();
  }

  ask(more, wants) {
    const { game, start, x, o, seed } = this.game;
    const controller = new AbortController();
    const request = { ...more, number: ++this.number, controller, begun: performance.now(), doing: {}, confirmed: !more.next.length && Boolean(more.node.position) };
    this.request = request;
    const body = { game, start, x, o, seed, moves: request.from.moves, next: request.next.map((each) => each.move), reply: request.reply, ...wants };
    const still = () => this.request === request;
    stream("/play", body, (part) => { if (still()) this.hear(part, request); }, controller.signal).then(
      () => { if (still()) this.end(); },
      (error) => { if (still() && error.name !== "AbortError") this.fail(error); },
    );
    setTimeout(() => { if (still()) this.changed(); }, QUIET + 20);
  }

  hear(part, request) {
    const { node } = request;
    if (part.part === "doing") request.doing = part;
    else if (part.part === "game") this.confirm(part, request);
    else if (part.part === "reply") this.reply(part, request);
    else if (part.part === "review") review(node, part);
    else if (part.part in node) node[part.part] = part;
    this.changed();
  }

  // The rules have spoken: so many of the moves stand.
  confirm({ moves, position }, request) {
    const accepted = moves.length - request.from.depth;
    const last = request.from === request.node ? request.node : request.next[accepted - 1] ?? request.from;
    for (const each of request.next.slice(0, accepted)) each.position.guessed = false;
    last.position = position;
    request.confirmed = true;
    if (last !== request.node) {
      this.game.at = last;
      request.next[accepted].remove();
      request.node = last;
    } else if (this.at !== last) this.send(); // moves that have waited
  }

  reply({ move, by, position }, request) {
    const node = request.node.child(move);
    Object.assign(node, { position, by });
    node.visit();
    if (this.at === request.node) this.game.at = node;
    request.node = node;
    request.reply = false;
  }

  end() {
    this.request = null;
    this.changed();
  }

  fail(error) {
    this.request = null;
    this.error = error;
    this.changed();
  }

  stop() {
    this.request?.controller.abort();
    this.request = null;
  }

  // Moves that were never confirmed and are not shown any more have not been made.
  drop(at) {
    const kept = new Set(at.path);
    for (const node of this.game.root.all) {
      if (node.position?.guessed && !kept.has(node) && node.parent) node.remove();
    }
  }
}

const isAbove = (node, below) => node !== below && below.path.includes(node);

// The position after a move, as far as it can be told without the rules: whether it ends the game is not known.
function guess(position, cell) {
  const board = boardAfter(position, cell);
  return { ...position, board, ply: position.ply + 1, to_move: position.to_move === "X" ? "O" : "X", marked: [], guessed: true };
}

// What a review says of each position on the way to a node.
function review(node, { steps, x, o }) {
  node.path.forEach((each, number) => {
    each.step = steps[number];
    each.blunder = number && steps[number - 1].blunder ? steps[number - 1].blunder : "";
  });
  node.review = { steps, x, o };
}
