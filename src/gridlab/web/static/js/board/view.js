// The page of the board: play, watch, look at values, try variations, set up. What is shown follows from `play` alone.

import { get, stream, whenBack } from "../api.js";
import { announce, fill, h } from "../dom.js";
import { aboutGame, gamePicker, gameTitle, sizeOf } from "../game-picker.js";
import { kindsOf, playerPicker } from "../player-picker.js";
import { preference, prefer } from "../prefs.js";
import { link, remember } from "../route.js";
import { Analysis } from "./analysis.js";
import { Game, PLAIN } from "./game.js";
import { Grid } from "./grid.js";
import { walkByKeys } from "./keys.js";
import { cellOf, Lines, moveOf } from "./lines.js";
import { layout } from "./layout.js";
import { Play } from "./play.js";
import { scorecard } from "./scorecard.js";
import { Setup } from "./setup.js";
import { showFailure, showStatus, statusWords } from "./status.js";
import { Strip } from "./strip.js";
import { Switches } from "./switches.js";
import { Transfer } from "./transfer.js";
import { Watch } from "./watch.js";
import { legend, opinionLine, valueWords } from "./words.js";

const SLOW = 300; // milliseconds after which is said what is being done

export function view(main, parameters) {
  const page = new BoardPage(main, Game.of(parameters, preference("board", PLAIN)), parameters);
  return () => page.leave();
}

class BoardPage {
  constructor(main, game, parameters) {
    this.lines = new Lines();
    this.own = !parameters.get("game"); // the game is the one that was played last, not one of a link
    this.recorded = Boolean(parameters.get("watch")); // its moves are watched, and no more than these
    this.learning = this.settingUp = false;
    this.ghosts = new Map();
    this.play = new Play(game, { changed: () => this.draw(), wants: (node, moves) => this.wants(node, moves) });
    this.grid = new Grid({ press: (cell) => this.press(cell), look: (cell) => this.look(cell) });
    this.grid.reserve(sizeOf(game.game));
    this.switches = new Switches({ game: () => this.game, network: () => this.learning && this.isSquava, changed: () => this.play.send(false) });
    this.strip = new Strip({ go: (node) => this.play.go(node, false), remove: (node) => this.removeLine(node) });
    this.analysis = new Analysis({ lines: this.lines, found: (node, values) => { node.values = values; this.draw(); } });
    this.setup = new Setup({ changed: (position) => this.drawSetup(position), done: (board) => this.endSetup(board) });
    this.transfer = new Transfer({ game: () => this.game, board: () => this.grid.element, load: (found) => this.load(found) });
    this.watch = new Watch({ step: () => this.step(), idle: () => !this.play.request?.reply, ended: () => this.ended() });
    Object.assign(this, layout(main, this));
    this.ticking = setInterval(() => { if (this.play.doing) this.draw(); }, 500);
    this.switches.draw();
    this.pickers();
    this.forget = [whenBack(() => this.play.send()), walkByKeys(this.play)];
    this.play.send(this.play.replies(this.play.at));
    if (this.recorded || (game.watched && !game.at.parent)) this.watch.run();
    get("/lab").then((lab) => { this.learning = lab.learning; this.switches.draw(); }, () => {});
  }

  leave() {
    this.play.stop();
    this.analysis.stop();
    this.watch.pause();
    clearInterval(this.ticking);
    for (const each of this.forget) each();
  }

  get game() {
    return this.play.game;
  }

  shown(name) {
    return this.switches.on(name);
  }

  get isSquava() {
    return ["squava", "5x5:4-3"].includes(this.game.game);
  }

  pickers() {
    fill(this.games, gamePicker(this.game.game, (game) => this.change(game)));
    const pick = (side) => playerPicker({
      name: `${side}${side === "X" ? ", who begins" : ""}`, game: this.game.game, chosen: this.game[side.toLowerCase()], person: true,
      choose: (text) => this.seat(side.toLowerCase(), text),
    });
    fill(this.players, pick("X"), pick("O"));
  }

  // ---- the game

  begin(game) {
    this.play.stop();
    this.watch.pause();
    if (this.settingUp) this.leaveSetup();
    this.play.game = game;
    this.own = this.recorded = false;
    this.ghosts = new Map();
    this.switches.draw();
    this.pickers();
    this.play.send();
    if (game.watched) this.watch.run();
  }

  // Another game is taken when the server knows its rules; players that do not play it make way.
  async change(text) {
    await get("/position", { game: text });
    const kinds = await kindsOf(text);
    const able = (player) => !player || kinds.some((each) => each.name === player.split(/[\s=]/)[0] && !each.reason);
    const seat = (player) => (able(player) ? player : PLAIN.o);
    this.begin(new Game({ game: text, x: seat(this.game.x), o: seat(this.game.o) }));
    this.keep();
  }

  // What the board opens with next time.
  keep() {
    const { game, x, o } = this.game;
    prefer("board", { game, x, o });
  }

  // Moves or a record from elsewhere.
  async load({ game, start, moves, x = "", o = "", watch = false }) {
    const found = new Game({ game, start, moves, x, o });
    for (const end of found.root.all.filter((each) => !each.children.length)) await stream("/play", { game, start, moves: end.moves }, () => {});
    if (watch && found.watched) found.at = found.root;
    this.begin(found);
  }

  seat(side, text) {
    this.game[side] = text;
    this.keep();
    this.switches.draw();
    this.play.send();
    if (this.game.watched) this.watch.run();
    else this.watch.pause();
  }

  restart() {
    const { game, x, o } = this.game;
    this.begin(new Game({ game, x, o }));
    announce("New game");
  }

  analyse() {
    this.seat("x", "");
    this.seat("o", "");
    this.pickers();
  }

  press(cell) {
    if (this.settingUp) this.setup.press(cell);
    else if (this.play.position) this.play.play(moveOf(cell, this.play.position), cell);
  }

  removeLine(node) {
    node.remove();
    this.draw();
  }

  // Back to the last decision of a person, if there is one; else by one move.
  undo() {
    const back = this.play.at.path.slice(0, -1);
    const mine = back.findLast((each) => !this.game.playerAt(each));
    if (back.length) this.play.go(mine ?? back.at(-1), false);
  }

  redo() {
    const on = this.play.at.line.slice(this.play.at.depth + 1);
    const mine = on.find((each) => !this.game.playerAt(each));
    if (on.length) this.play.go(mine ?? on.at(-1), false);
  }

  // ---- watching

  step() {
    const { at } = this.play;
    if (at.following) this.play.go(at.following, false);
    else this.play.send(true);
  }

  ended() {
    const { at, position, error } = this.play;
    return Boolean(error || position?.over || this.recorded) && !at.following;
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.board.requestFullscreen?.().catch(() => {});
  }

  // ---- what is shown

  // What is still missing of a position, or wanted of the one that moves will lead to.
  wants(node, moves) {
    const wanted = this.shown("values") || this.shown("hint"), over = node.position?.over;
    const network = this.shown("network") && this.learning && this.isSquava;
    const reviewed = !moves && (node.review || (node.step && !over));
    const review = reviewed ? "no" : this.shown("values") ? "always" : over || moves ? "over" : "no";
    if (moves) return { values: wanted, opinion: wanted, network, review };
    return { values: wanted && !over && !node.values, opinion: wanted, network: network && !over && !node.network, review };
  }

  draw() {
    if (this.settingUp) return;
    const { play } = this, { at, position, error } = play;
    remember("board", this.game.parameters());
    this.title.textContent = gameTitle(this.game.game);
    this.about.textContent = aboutGame(this.game.game);
    if (error) this.fail(error);
    if (!position) return;
    if (this.setupWanted) {
      this.beginSetup();
      return;
    }
    this.drawBoard();
    const values = this.shown("values") ? at.values : null;
    if (!error) showStatus(this.status, { play, values, go: () => play.send(true) });
    const told = this.shown("values") || position.over;
    this.strip.show(this.game, at, told);
    this.buttons.undo.disabled = this.buttons.first.disabled = !at.parent;
    this.buttons.redo.disabled = this.buttons.last.disabled = !at.following;
    this.watch.element.hidden = !this.game.watched && !this.watch.running;
    this.watch.draw();
    this.analysis.element.hidden = !this.shown("values") || position.over || play.thinking;
    if (!this.analysis.element.hidden) this.analysis.show(this.game.game, at, play.doing);
    if (at.review !== this.carded || !position.over) {
      this.carded = position.over ? at.review : null;
      fill(this.card, this.carded ? scorecard(at.review, this.game, (number) => play.go(at.path[number], false)) : null);
    }
    this.say(values);
  }

  drawBoard() {
    const { at, position } = this.play;
    const exact = at.values?.moves.filter((move) => move.value !== "unknown") ?? [];
    const values = this.shown("values");
    if (this.ghostsOf !== at) this.ghosts = new Map();
    this.grid.show(position, {
      values: values && !position.over ? exact : null, opinion: values && at.opinion ? at.opinion.moves : null, network: this.shown("network") ? at.network?.moves ?? null : null,
      best: this.shown("hint") && !position.over ? this.bestCells() : [], latest: at.parent ? cellOf(at.move, position.cols) : null,
      ghosts: this.ghosts, open: !position.over && !this.game.playerAt(at),
    });
    if (!this.ghosts.size) fill(this.below, values && !position.over && (exact.length || at.opinion) ? legend(link("about", { section: "values" }), exact.length) : "");
  }

  bestCells() {
    const { values, opinion, position } = this.play.at;
    if (values?.exact) return values.moves.filter((move) => values.best.includes(move.move)).map((move) => move.cell);
    return opinion ? [cellOf(opinion.best, position.cols)] : [];
  }

  // Said once for each thing that is new.
  say(values) {
    const words = this.play.position.guessed ? "" : statusWords(this.play, values);
    if (words && words !== this.said) announce(words);
    this.said = words || this.said;
  }

  // The best line after a move, while the pointer, a finger or the focus is on it.
  async look(cell) {
    const { at, position } = this.play;
    if (this.settingUp || !position) return;
    this.looking = cell;
    const move = cell === null || !this.shown("values") || this.play.thinking ? null : at.values?.moves.find((each) => each.cell === cell && each.value !== "unknown");
    const slow = setTimeout(() => { if (move && this.looking === cell) this.below.textContent = "Looking for the line …"; }, SLOW);
    const line = move ? await this.lines.after(this.game.game, position, move) : null;
    clearTimeout(slow);
    if (this.looking !== cell || this.play.at !== at || this.settingUp) return;
    this.ghosts = line?.ghosts ?? new Map();
    this.ghostsOf = at;
    this.drawBoard();
    const idea = !move && cell !== null && this.shown("values") ? at.opinion?.moves.find((each) => each.cell === cell) : null;
    if (line) this.below.textContent = `${move.move} ${valueWords(move.value, move.distance)}: ${line.moves.join(" ")}`;
    else if (idea) this.below.textContent = opinionLine(idea);
  }

  // A game that cannot even begin is told; one that was only remembered makes way for another.
  fail(error) {
    const wrong = !this.play.position && error.status >= 400 && error.status < 500;
    const plain = () => { this.begin(new Game(PLAIN)); this.keep(); };
    if (wrong && this.own) plain();
    else showFailure(this.status, error, () => this.play.send(), wrong ? plain : null);
  }

  // ---- setting up

  beginSetup() {
    this.setupWanted = !this.play.position; // by somebody faster than the first answer
    if (this.setupWanted) return;
    this.play.stop();
    this.watch.pause();
    this.analysis.stop();
    this.settingUp = true;
    this.analysis.element.hidden = true;
    fill(this.card);
    fill(this.below);
    this.setup.begin(this.game.game, this.play.position);
    this.setup.element.scrollIntoView({ block: "nearest" });
  }

  drawSetup(position) {
    if (!this.settingUp) return;
    this.grid.show(position, { setup: true });
    fill(this.status, h("span", { class: "turn" }, "Setting up"), h("span", { class: "what" }, "click cells for X, O, empty"));
  }

  leaveSetup() {
    this.settingUp = false;
    this.setup.end();
  }

  endSetup(board) {
    this.leaveSetup();
    const { game, x, o } = this.game;
    if (board === null) this.play.send();
    else this.begin(new Game({ game, x, o, start: /[XO]/.test(board) ? board : "" }));
  }
}
