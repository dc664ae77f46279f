// A match: two players, many games, and the interval closing in.

import { legend, lines, table } from "../charts.js";
import { announce, counted, field, fill, h, number, percent } from "../dom.js";
import { gamePicker } from "../game-picker.js";
import { runJob } from "../job-card.js";
import { playerPicker } from "../player-picker.js";

const GAMES = ["tictactoe", "tictactoe4", "tictactoe5", "squava", "2048"];
const PAIR = { mnk: ["alpha-beta depth=2", "mcts playouts=500"], 2048: ["expectimax depth=2", "random"] };

export class MatchPanel {
  constructor() {
    Object.assign(this, { game: "tictactoe4", games: 100, openings: 2, seed: 0, work: null });
    [this.a, this.b] = PAIR.mnk;
    this.pickers = h("div", { class: "pair" });
    this.progress = h("div", {});
    this.result = h("div", {});
    this.openingField = field("Random opening moves", number(this.openings, 0, 20, (value) => { this.openings = value; }));
    const form = h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); this.run(); } },
      gamePicker(this.game, (game) => this.choose(game), GAMES), this.pickers,
      h("div", { class: "fields" }, field("Games", number(this.games, 2, 2000, (value) => { this.games = value; }, { step: 2 })), this.openingField, field("Seed", number(this.seed, 0, 1e9, (value) => { this.seed = value; }))),
      h("div", {}, h("button", { class: "primary", type: "submit" }, "Play the match")));
    this.element = h("section", { class: "card", "aria-label": "Match" }, h("h2", {}, "Match"),
      h("p", { class: "muted small lead" }, "Every opening is played twice, with colours exchanged."), h("div", { class: "stack" }, form, this.progress, this.result));
    this.choose(this.game);
  }

  leave() {
    this.work?.cancel();
  }

  choose(game) {
    const solo = game.startsWith("2048");
    if (solo !== this.game.startsWith("2048")) [this.a, this.b] = PAIR[solo ? 2048 : "mnk"];
    this.game = game;
    this.openingField.hidden = solo;
    fill(this.pickers,
      playerPicker({ name: "A", game, chosen: this.a, choose: (text) => { this.a = text; } }),
      playerPicker({ name: "B", game, chosen: this.b, choose: (text) => { this.b = text; } }));
  }

  run() {
    this.work?.cancel();
    const { game, a, b, games, seed } = this;
    const solo = game.startsWith("2048");
    this.trail = [];
    fill(this.result);
    this.work = runJob(this.progress, "match", { game, a, b, games, seed, openings: `random:${solo ? 0 : this.openings}` }, (state) => {
      if (state.partial) this.show(state.partial);
    });
    this.work.done.then((found) => {
      this.show(found);
      announce(found.family === "2048" ? "The match is over" : `The match is over: A scores ${percent(found.a_score)}`);
    }, () => {});
  }

  show(found) {
    if (found.family === "2048") {
      fill(this.result, this.scores(found));
      return;
    }
    if (this.trail.at(-1)?.[0] !== found.games) this.trail.push([found.games, ...found.a_score_interval, found.a_score]);
    const [low, high] = found.a_score_interval;
    const part = (kind, wins, name) => {
      const box = h("div", { class: kind, title: `${name}: ${wins}` }, wins / found.games > 0.12 ? `${name} ${wins}` : wins ? String(wins) : "");
      box.style.flexGrow = wins;
      return box;
    };
    fill(this.result, h("div", { class: "stack" },
      h("div", { class: "outcome", role: "img", "aria-label": `A wins ${found.a_wins}, draws ${found.draws}, B wins ${found.b_wins}` }, part("a", found.a_wins, "A wins"), part("d", found.draws, "draws"), part("b", found.b_wins, "B wins")),
      h("p", {}, h("b", { class: "number" }, `A scores ${percent(found.a_score)}`), h("span", { class: "muted number" }, ` · 95 % interval ${percent(low)} to ${percent(high)} · ${counted(found.games)} games`)),
      this.trail.length > 1 ? h("div", {}, lines({
        title: "Score of A with its interval, as games are played", low: 0, high: 1, below: "games", format: (value) => percent(value, 0),
        series: [{ points: this.trail.map(([games, , , score]) => [games, score]) }], band: this.trail.map(([games, from, to]) => [games, from, to]),
      }), legend(["ka", "score of A, with its 95 % interval"])) : null,
      found.faults.length ? h("p", { class: "error" }, found.faults.join("; ")) : null));
  }

  scores(found) {
    const row = (name, one) => [name, one.mean_score, one.mean_score_interval ? `${counted(one.mean_score_interval[0])} to ${counted(one.mean_score_interval[1])}` : "", Math.max(...Object.keys(one.tile_rates).map(Number))];
    const spread = found.difference_interval;
    return h("div", { class: "stack" },
      h("p", {}, h("b", { class: "number" }, `A scores ${counted(found.difference)} points more than B`), h("span", { class: "muted number" }, spread ? ` · 95 % ${counted(spread[0])} to ${counted(spread[1])}` : "")),
      table(["", "Mean score", "95 %", "Largest tile"], [row(`A  ${found.names[0]}`, found.a), row(`B  ${found.names[1]}`, found.b)]));
  }
}

