// The page of 2048: play, ask for advice, let a player play, go back. The game is kept by the browser.

import { post, whenBack } from "../api.js";
import { copy, download } from "../board/transfer.js";
import { announce, toast } from "../dom.js";
import { kindsOf } from "../player-picker.js";
import { preference, prefer } from "../prefs.js";
import { link, remember } from "../route.js";
import { Auto, PACES } from "./auto.js";
import { Game } from "./game.js";
import { keys, swipes } from "./input.js";
import { keep, kept, swap } from "./keep.js";
import { movesOf, textOf } from "./moves.js";
import { Screen } from "./screen.js";

const GOAL = 2048; // the tile that is celebrated
const anySeed = () => Math.floor(Math.random() * 1e6);

export function view(main, parameters) {
  const page = new Page2048(main, parameters);
  return () => page.leave();
}

class Page2048 {
  constructor(main, parameters) {
    this.rules = parameters.get("game") ?? preference("game2048", "2048");
    this.named = parameters.get("player") ?? "";
    this.player = this.named || preference("adviser", this.rules === "2048" ? "ntuple" : "expectimax");
    this.shown = preference("values2048", false);
    this.pace = preference("speed2048", "normal") in PACES ? preference("speed2048", "normal") : "normal";
    this.hear = this.hear.bind(this);
    this.game = new Game({ hear: this.hear, adviser: (state) => (this.shown || (state && this.hinted === state) ? this.player : "") });
    this.auto = new Auto(this.game, { player: () => this.player, pace: () => this.pace, hear: this.hear });
    this.screen = new Screen(main, this);
    this.forget = [keys((direction) => this.press(direction)), whenBack(() => this.game.resume())];
    swipes(this.screen.stage, (direction) => this.press(direction));
    this.takeUp(parameters);
    this.preferExact();
  }

  leave() {
    this.auto.pause();
    this.game.close();
    this.screen.leave();
    for (const each of this.forget) each();
  }

  // ---- which game

  // What the address asks for, or the game that was left running. A game of somebody else takes no place before a move.
  takeUp(parameters) {
    const [text, number] = [parameters.get("moves"), parameters.get("seed") ?? ""];
    const seed = /^\d{1,15}$/.test(number) ? Number(number) : null;
    this.watch = parameters.get("watch") === "1";
    const { running, aside } = kept(this.rules);
    if (this.watch || (text && !(text === running?.moves && seed === running.seed))) this.openLink(seed ?? anySeed(), text ?? "");
    else if (running && (seed === null || seed === running.seed)) this.openKept(running);
    else if (aside && seed === aside.seed) this.openKept(swap(this.rules));
    else if (seed === null) this.begin();
    else this.openLink(seed, "");
  }

  openKept(record) {
    let moves = [];
    try {
      moves = movesOf(record.moves);
    } catch {
      toast("The game that was kept here is damaged; it starts again.", true);
    }
    this.record = { own: record.own, cheered: record.cheered };
    this.guest = false;
    this.game.open({ game: this.rules, seed: record.seed, moves, at: Math.min(record.at, moves.length) });
  }

  openLink(seed, text) {
    let moves = [];
    try {
      moves = text ? movesOf(text) : [];
    } catch (error) {
      toast(`${error.message[0].toUpperCase()}${error.message.slice(1)}; the game starts from its seed.`, true);
    }
    this.record = { own: !moves.length && !this.watch, cheered: false };
    this.guest = true;
    this.game.open({ game: this.rules, seed, moves });
  }

  begin(seed = anySeed(), rules = this.rules) {
    this.auto.pause();
    this.turnTo(rules);
    this.record = { own: true, cheered: false };
    this.guest = false;
    this.fresh = true;
    this.game.open({ game: rules, seed });
  }

  // Another board: the game that was left there, or a new one.
  change(rules) {
    this.auto.pause();
    this.turnTo(rules);
    const { running } = kept(rules);
    if (running) this.openKept(running);
    else this.begin(anySeed(), rules);
  }

  turnTo(rules) {
    const same = rules === this.rules;
    this.rules = rules;
    if (same) return;
    this.named = "";
    this.screen.showCards();
    this.preferExact();
  }

  // The other game: the running one if a link is only being looked at, else the one that was laid aside.
  back() {
    this.auto.pause();
    this.openKept(this.guest ? kept(this.rules).running : swap(this.rules));
  }

  // A solved board knows the truth and is asked first; else whoever was chosen last; else a network, which counts in points.
  preferExact() {
    kindsOf(this.rules).then((kinds) => {
      const able = (text) => kinds.some((each) => each.name === text.split(" ")[0] && !each.reason);
      this.solved = able("perfect");
      if (this.named) return;
      const best = ["perfect", preference("adviser", "ntuple"), "ntuple"].find(able) ?? "expectimax";
      if (best === this.player) return;
      this.player = best;
      this.screen.showCards();
      this.changed();
    }, () => {});
  }

  // ---- what a visitor does

  press(direction) {
    this.auto.pause();
    this.game.press(direction);
  }

  undo() {
    this.auto.pause();
    this.game.undo();
  }

  redo() {
    this.auto.pause();
    this.game.redo();
  }

  play(most) {
    if (this.auto.on) this.auto.pause();
    else this.auto.start(most);
  }

  hint() {
    this.hinted = this.game.state;
    this.changed();
  }

  toggle() {
    this.shown = !this.shown;
    prefer("values2048", this.shown);
    this.changed();
  }

  choose(text) {
    this.player = text;
    prefer("adviser", text);
    this.changed();
  }

  // Something else is asked for, of the same board.
  changed() {
    this.game.consult();
    if (this.game.state) this.screen.draw();
  }

  share() {
    const { game, seed, moves } = this.game;
    copy(`${location.origin}${location.pathname}${link("2048", { game, seed, moves: moves.length ? textOf(moves) : "" })}`, "Link");
  }

  async save() {
    try {
      const { line } = await post("/2048/record", { game: this.game.game, seed: this.game.seed, moves: this.game.moves });
      download(`2048-${this.game.seed}.jsonl`, line);
    } catch (error) {
      toast(error.message, true);
    }
  }

  // Who names the worst moves: the truth where it is known, else the adviser, unless that has no opinion.
  reviewer() {
    if (this.solved) return "perfect";
    return this.player === "random" ? "expectimax" : this.player;
  }

  // ---- what has happened

  hear(what, more) {
    if (what === "opened") this.opened();
    else if (what === "step") this.stepped(more);
    else if (what === "moved") this.moved();
    else if (what === "advice") this.screen.drawAdvice();
    else if (what === "queue") this.screen.drawQueue();
    else if (what === "auto") this.screen.drawAuto();
    else if (what === "doing") this.screen.say(more && `${more} …`);
    else if (what === "trouble") toast(more, true);
    else this.lost(more);
  }

  opened() {
    const { state } = this.game;
    this.rules = this.game.game;
    if (state.max_tile >= GOAL) this.record.cheered = true;
    if (this.fresh) announce("New game");
    prefer("game2048", this.rules);
    if (!this.guest) {
      this.keep();
      remember("2048", { game: this.rules, seed: this.game.seed });
    }
    this.screen.tiles.show(state);
    this.screen.say("");
    this.screen.draw();
    if (this.watch) this.auto.start();
    this.watch = false;
  }

  stepped(step) {
    if (this.auto.on) this.record.own = false;
    this.screen.tiles.play(step);
    if (step.state.max_tile >= GOAL && !this.record.cheered) this.cheer();
    this.keep();
    this.screen.draw();
  }

  moved() {
    this.screen.tiles.show(this.game.state);
    this.screen.say("");
    this.keep();
    this.screen.draw();
  }

  // Moves that cannot be replayed are told, and the game begins; so are rules that are none.
  lost(sentence) {
    if (!this.game.all.length) {
      this.screen.say(sentence, true);
      return;
    }
    toast(`This game cannot be replayed and starts from its seed: ${sentence}.`, true);
    this.guest = true;
    this.game.open({ game: this.rules, seed: this.game.seed });
  }

  cheer() {
    this.record.cheered = true;
    this.screen.cheer(`${GOAL}! The game goes on.`);
  }

  // Keep the game; one that was only looked at so far now takes the place of the running one.
  keep() {
    const { state, seed, all, moves } = this.game, another = this.guest || this.fresh;
    const record = { seed, moves: textOf(all), at: moves.length, score: state.score, over: state.over, ...this.record };
    keep(this.rules, record, another);
    this.guest = this.fresh = false;
    if (another) remember("2048", { game: this.rules, seed });
  }
}
