// The page of the board: play, look at values, go back, set up.

import { get, post, whenBack } from "../api.js";
import { announce, fill, h } from "../dom.js";
import { ABOUT, gamePicker, gameTitle, sizeOf } from "../game-picker.js";
import { playerPicker } from "../player-picker.js";
import { preference, prefer } from "../prefs.js";
import { remember } from "../route.js";
import { Analysis, askOpinion } from "./analysis.js";
import { Game } from "./game.js";
import { Grid } from "./grid.js";
import { cellOf, Knowledge, moveOf } from "./knowledge.js";
import { scorecard } from "./scorecard.js";
import { Setup } from "./setup.js";
import { showFailure, showStatus, statusWords } from "./status.js";
import { Strip } from "./strip.js";
import { Transfer } from "./transfer.js";
import { valueWords } from "./words.js";

const PLAIN = { game: "tictactoe", x: "", o: "perfect errs=0.2" };

export function view(main, parameters) {
  const page = new BoardPage(main, Game.of(parameters, preference("board", PLAIN)));
  return () => page.leave();
}

class BoardPage {
  constructor(main, game) {
    this.game = game;
    this.knowledge = new Knowledge();
    this.turn = 0;
    this.shown = { values: preference("values", true), hint: preference("hint", false), network: preference("network", false) };
    this.learning = false;
    this.grid = new Grid({ press: (cell) => this.press(cell), look: (cell) => this.look(cell) });
    this.grid.reserve(sizeOf(game.game));
    this.strip = new Strip((at) => this.jump(at));
    this.analysis = new Analysis({ knowledge: this.knowledge, solved: (values) => { this.knowledge.keep(this.game.game, values); this.refresh(); } });
    this.setup = new Setup({ changed: (position) => this.drawSetup(position), done: (board) => this.endSetup(board) });
    this.transfer = new Transfer({ game: () => this.game, load: (asked) => this.begin({ ...asked, x: "", o: "" }) });
    this.build(main);
    this.unwatch = whenBack(() => this.refresh());
    this.refresh();
    get("/lab").then((lab) => { this.learning = lab.learning; this.toggles(); }, () => {});
  }

  leave() {
    this.turn++;
    this.asking?.abort();
    this.analysis.stop();
    this.unwatch();
  }

  build(main) {
    this.status = h("div", { class: "status", role: "status" });
    this.lineText = h("p", { class: "line-text number" });
    this.buttons = {
      first: h("button", { class: "square", "aria-label": "First move", title: "To the start", onclick: () => this.jump(0) }, "⇤"),
      undo: h("button", { onclick: () => this.undo(), title: "U" }, "Undo"),
      redo: h("button", { onclick: () => this.redo(), title: "R" }, "Redo"),
      last: h("button", { class: "square", "aria-label": "Last move", title: "To the end", onclick: () => this.jump(this.game.moves.length) }, "⇥"),
    };
    this.switches = h("div", { class: "joined", role: "group", "aria-label": "What is shown" });
    this.players = h("div", { class: "stack" });
    this.games = h("div", {});
    this.card = h("div", {});
    this.about = h("p", { class: "muted" });
    this.title = h("h1", {}, "");
    const board = h("section", { class: "card board-card", "aria-label": "Game", onkeydown: (event) => this.shortcut(event) },
      this.status, this.grid.element, this.lineText,
      h("div", { class: "row spread" },
        h("div", { class: "toolbar" }, h("div", { class: "joined" }, ...Object.values(this.buttons)), h("button", { onclick: () => this.restart(), title: "N" }, "New game")),
        this.switches));
    const strip = h("section", { class: "card", "aria-label": "History" }, this.strip.element);
    const side = h("section", { class: "card", "aria-label": "Game and players" }, h("h2", {}, "Game"), h("div", { class: "stack" }, this.games, this.players,
      h("div", { class: "toolbar" }, h("button", { onclick: () => this.analyse() }, "Analyse: both sides mine"), h("button", { onclick: () => this.beginSetup() }, "Set up a position"))));
    fill(main,
      h("div", { class: "page-head" }, this.title, this.about),
      h("div", { class: "columns" }, h("div", { class: "column" }, board, this.setup.element, strip), h("div", { class: "column" }, this.card, this.analysis.element, side, this.transfer.element)));
    this.toggles();
    this.pickers();
  }

  toggles() {
    const toggle = (name, text, title) => h("button", {
      "aria-pressed": String(this.shown[name]), title,
      onclick: () => {
        this.shown[name] = !this.shown[name];
        prefer(name, this.shown[name]);
        this.toggles();
        this.refresh();
      },
    }, text);
    fill(this.switches, toggle("values", "Values", "What every move is worth"), toggle("hint", "Hint", "Mark the best moves"),
      this.learning && this.isSquava ? toggle("network", "Network", "What a trained network thinks of every move") : null);
  }

  get isSquava() {
    return ["squava", "5x5:4-3"].includes(this.game.game);
  }

  pickers() {
    fill(this.games, gamePicker(this.game.game, (game) => this.begin({ game, x: this.game.x, o: this.game.o })));
    const pick = (side) => playerPicker({
      name: `${side}${side === "X" ? ", who begins" : ""}`, game: this.game.game, chosen: this.game[side.toLowerCase()], person: true,
      choose: (text) => { this.game[side.toLowerCase()] = text; this.keep(); this.refresh(); },
    });
    fill(this.players, pick("X"), pick("O"));
  }

  keep() {
    const { game, x, o } = this.game;
    prefer("board", { game, x, o });
  }

  // ---- the game

  begin(asked) {
    this.game = new Game({ o: "", ...asked });
    this.keep();
    this.toggles();
    this.pickers();
    this.refresh();
  }

  restart() {
    const { game, x, o } = this.game;
    this.game = new Game({ game, x, o });
    this.refresh();
    announce("New game");
  }

  analyse() {
    this.game.x = this.game.o = "";
    this.keep();
    this.pickers();
    this.refresh();
  }

  press(cell) {
    if (this.settingUp) this.setup.press(cell);
    else if (this.position && !this.position.over && !this.thinking) {
      this.game.play(moveOf(cell, this.position));
      this.refresh();
    }
  }

  jump(at) {
    this.game.at = Math.max(0, Math.min(at, this.game.moves.length));
    this.refresh({ waits: this.game.at < this.game.moves.length });
  }

  // Back to the last decision of a person, if there is one; else by one move.
  undo() {
    const { at } = this.game;
    const mine = (number) => !this.game.player(this.game.sideAt(number));
    let to = at - 1;
    while (to > 0 && !mine(to)) to--;
    this.jump(!this.game.alone && to >= 0 && !mine(to) ? at - 1 : to);
  }

  redo() {
    const { at, moves } = this.game;
    let to = at + 1;
    while (to < moves.length && this.game.player(this.game.sideAt(to))) to++;
    this.jump(Math.min(to, moves.length));
  }

  shortcut(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const does = { u: () => this.undo(), r: () => this.redo(), n: () => this.restart(), h: () => this.switches.children[1].click(), v: () => this.switches.children[0].click() }[event.key.toLowerCase()];
    if (does) {
      event.preventDefault();
      does();
    }
  }

  // ---- what is shown

  async refresh({ waits = false } = {}) {
    const mine = ++this.turn;
    this.asking?.abort();
    const { signal } = (this.asking = new AbortController());
    if (this.settingUp) this.endSetup(null, false);
    this.thinking = false;
    remember("board", this.game.parameters());
    this.title.textContent = gameTitle(this.game.game);
    this.about.textContent = ABOUT[this.game.game] ?? "";
    try {
      const { position } = await post("/game", this.game.asked(), signal);
      if (mine === this.turn) await this.arrive(position, mine, signal, waits);
    } catch (error) {
      if (error.name !== "AbortError" && mine === this.turn) this.fail(error);
    }
  }

  // The position after the last move is there: now a player replies, or a person wants to know more.
  async arrive(position, mine, signal, waits = false) {
    this.position = position;
    this.values = this.knowledge.get(this.game.game, position.board);
    this.opinion = this.network = this.review = null;
    this.thinking = Boolean(!position.over && this.game.player(position.to_move) && !waits);
    this.draw();
    announce(statusWords({ game: this.game, position }));
    if (this.setupWanted) this.beginSetup();
    else if (this.thinking) await this.reply(mine, signal);
    else await this.learn(mine, signal);
  }

  async reply(mine, signal) {
    const { move, position } = await post("/game/reply", this.game.asked(), signal);
    if (mine !== this.turn) return;
    this.game.play(move);
    remember("board", this.game.parameters());
    await this.arrive(position, mine, signal);
  }

  // Values, opinions and the review, each shown when it is there.
  async learn(mine, signal) {
    const { game } = this.game, { board, over } = this.position;
    const still = () => mine === this.turn;
    const wanted = this.shown.values || this.shown.hint;
    const parts = [];
    if (!over && wanted) {
      if (!this.values && this.shown.values) this.analysis.wait();
      parts.push(this.knowledge.ask(game, board, signal).then((values) => { if (still()) { this.values = values; this.draw(); this.say(); } }));
    }
    if (!over && this.shown.network && this.learning && this.isSquava) {
      parts.push(askOpinion(game, board, "network", signal).then((found) => { if (still()) { this.network = found; this.draw(); } }));
    }
    parts.push(post("/review", { game, start: this.game.start, moves: this.game.moves }, signal).then((found) => { if (still()) { this.review = found; this.draw(); } }));
    await Promise.all(parts);
    if (still() && !over && wanted && this.values && !this.values.exact) {
      const found = await askOpinion(game, board, "search", signal);
      if (still()) {
        this.opinion = found;
        this.draw();
      }
    }
  }

  draw(ghosts = new Map()) {
    const { position, values } = this;
    const exact = values?.moves.filter((move) => move.value !== "unknown") ?? [];
    const best = this.shown.hint && !position.over ? this.bestCells() : [];
    const last = this.game.played.at(-1);
    this.grid.show(position, {
      values: this.shown.values ? exact : null, opinion: this.shown.values && this.opinion ? this.opinion.moves : null, network: this.network?.moves ?? null,
      best, latest: last ? cellOf(last, position.cols) : null, ghosts, open: !position.over && !this.thinking,
    });
    showStatus(this.status, { game: this.game, position, values: this.shown.values ? values : null, thinking: this.thinking, go: () => this.refresh() });
    this.strip.show(this.game.moves, this.shown.values || position.over ? this.review?.steps ?? [] : [], this.game.at, this.game.firstSide);
    this.buttons.undo.disabled = this.buttons.first.disabled = this.game.at === 0;
    this.buttons.redo.disabled = this.buttons.last.disabled = this.game.at >= this.game.moves.length;
    this.analysis.element.hidden = !this.shown.values || position.over;
    if (!ghosts.size && this.shown.values && !this.thinking && (values || position.over)) this.analysis.show(this.game.game, position, values, this.opinion);
    fill(this.card, position.over && this.review && this.game.at === this.game.moves.length ? scorecard(this.review, this.game, (at) => this.jump(at)) : null);
  }

  bestCells() {
    if (this.values?.exact) return this.values.moves.filter((move) => this.values.best.includes(move.move)).map((move) => move.cell);
    return this.opinion ? [cellOf(this.opinion.best, this.position.cols)] : [];
  }

  say() {
    announce(statusWords({ game: this.game, position: this.position, values: this.shown.values ? this.values : null }));
  }

  // The best line after a move, while the pointer or the focus is on it.
  async look(cell) {
    if (this.settingUp || !this.position) return;
    this.looking = cell;
    const move = cell === null || !this.shown.values || this.thinking ? null : this.values?.moves.find((each) => each.cell === cell && each.value !== "unknown");
    if (!move) {
      this.lineText.textContent = "";
      if (this.ghosted) this.draw();
      this.ghosted = false;
      return;
    }
    const { turn, position } = this;
    const line = await this.knowledge.line(this.game.game, position, move);
    if (!line || this.looking !== cell || turn !== this.turn || position !== this.position) return;
    this.lineText.textContent = `${move.move} ${valueWords(move.value, move.distance)}: ${line.moves.join(" ")}`;
    this.draw(line.ghosts);
    this.ghosted = true;
  }

  fail(error) {
    this.thinking = false;
    if (this.position) this.draw();
    const wrong = !this.position && error.status >= 400;
    showFailure(this.status, error, () => this.refresh(), wrong ? () => this.begin({ ...PLAIN }) : null);
  }

  // ---- setting up

  beginSetup() {
    this.setupWanted = !this.position; // by somebody faster than the first answer
    if (this.setupWanted) return;
    this.asking?.abort();
    this.turn++;
    this.settingUp = true;
    this.setup.begin(this.game.game, this.position);
    this.setup.element.scrollIntoView({ block: "nearest" });
  }

  drawSetup(position) {
    this.grid.show(position, { setup: true });
    fill(this.status, h("span", { class: "turn" }, "Setting up"), h("span", { class: "what" }, "click cells for X, O, empty"));
  }

  endSetup(board, again = true) {
    this.settingUp = false;
    this.setup.end();
    if (board !== null) {
      const { game, x, o } = this.game;
      this.game = new Game({ game, x, o, start: /[XO]/.test(board) ? board : "" });
    }
    if (again) this.refresh();
  }
}
