// A match: two players, many games, the interval closing in, and every game to be watched.

import { legend, lines, table } from "../charts.js";
import { announce, counted, field, fill, h, number, percent, plural } from "../dom.js";
import { playerPicker } from "../player-picker.js";
import { RESULTS, watchGame, watchPlayer } from "../watch.js";
import { Panel } from "./panel.js";

const GAMES = ["tictactoe", "tictactoe4", "tictactoe5", "squava", "2048"];
const ENDS = { played: "", resigned: ", resigned", fault: ", by a fault" };

export class MatchPanel extends Panel {
  constructor() {
    super({
      name: "match", title: "Match", lead: "Every opening is drawn at random and played twice, with colours exchanged.", verb: "Play the match", games: GAMES, settings: { game: "tictactoe4", games: 100, openings: 2, seed: 0 },
      players: (solo) => (solo ? { a: "expectimax depth=2", b: "random" } : { a: "alpha-beta depth=2", b: "mcts playouts=500" }),
    });
    const { games, openings, seed } = this.settings;
    this.openings = field("Opening moves", number(openings, 0, 20, (value) => this.set({ openings: value })));
    fill(this.fields, field("Games", number(games, 2, 2000, (value) => this.set({ games: value }), { step: 2 })), this.openings, field("Seed", number(seed, 0, 1e9, (value) => this.set({ seed: value }))));
    this.listOpen = false;
    this.restore();
  }

  pick() {
    const { game, a, b } = this.settings;
    this.openings.hidden = this.solo;
    fill(this.pickers,
      playerPicker({ name: "A", game, chosen: a, choose: (text) => this.set({ a: text }) }),
      playerPicker({ name: "B", game, chosen: b, choose: (text) => this.set({ b: text }) }));
  }

  run() {
    const { game, a, b, games, seed, openings } = this.settings;
    this.begin("match", { game, a, b, games, seed, openings: `random:${this.solo ? 0 : openings}` }).then((found) => {
      announce(found.family === "2048" ? "The match is over" : `The match is over: A scores ${percent(found.a_score)}`);
    }, () => {});
  }

  show(found) {
    fill(this.result, found.family === "2048" ? scores(found) : this.games(found));
  }

  games(found) {
    const [low, high] = found.a_score_interval;
    return h("div", { class: "stack" }, outcome(found),
      h("p", {}, h("b", { class: "number" }, `A scores ${percent(found.a_score)}`), h("span", { class: "muted number" }, ` · 95 % interval ${percent(low)} to ${percent(high)} · ${plural(found.games, "game")}`)),
      h("p", { class: "muted small" }, `A is ${found.a}, B is ${found.b}.`),
      found.trail.length > 1 ? h("div", {}, lines({
        title: "Score of A with its interval, as games are played", low: 0, high: 1, below: "games", beside: "score of A", format: (value) => percent(value, 0),
        series: [{ points: found.trail.map(([games, , , score]) => [games, score]) }], band: found.trail.map(([games, from, to]) => [games, from, to]),
      }), legend(["ka", "score of A, with its 95 % interval"])) : null,
      found.faults.length ? h("p", { class: "error" }, found.faults.join("; ")) : null,
      this.list(found));
  }

  // The games, each to be watched; the list stays open while the match goes on.
  list(found) {
    const rows = found.listed.map((each, index) => {
      const [x, o] = index % 2 ? [found.b, found.a] : [found.a, found.b];
      const won = each.result === "draw" ? "" : ` (${(each.result === "x_wins") === (index % 2 === 0) ? "A" : "B"})`;
      return [h("a", { href: watchGame(found.rules, each.moves, x, o) }, `Game ${index + 1}`), index % 2 ? "B" : "A", each.moves.slice(0, each.opening).join(" ") || "none", `${RESULTS[each.result]}${won}${ENDS[each.end]}`, String(each.moves.length)];
    });
    const more = found.games - found.listed.length;
    const element = h("details", { open: this.listOpen, ontoggle: () => { this.listOpen = element.open; } }, h("summary", {}, "Watch its games"),
      h("div", { class: "stack tight games" }, table(["Game", "X", "Opening", "Result", "Moves"], rows, "Games of the match")),
      more > 0 ? h("p", { class: "muted small" }, `${plural(more, "more game")} ${more === 1 ? "is" : "are"} not listed; gridlab match --out keeps all.`) : null);
    return element;
  }
}

function outcome(found) {
  const part = (kind, wins, name) => {
    const box = h("div", { class: kind, title: `${name}: ${wins}` }, wins / found.games > 0.12 ? `${name} ${wins}` : wins ? String(wins) : "");
    box.style.flexGrow = wins;
    return box;
  };
  return h("div", { class: "outcome", role: "img", "aria-label": `A wins ${found.a_wins}, draws ${found.draws}, B wins ${found.b_wins}` }, part("a", found.a_wins, "A wins"), part("d", found.draws, "draws"), part("b", found.b_wins, "B wins"));
}

// In 2048 each plays alone, and points are compared.
function scores(found) {
  const row = (name, one) => [name, one.mean_score, one.mean_score_interval ? `${counted(one.mean_score_interval[0])} to ${counted(one.mean_score_interval[1])}` : "one game", Math.max(...Object.keys(one.tile_rates).map(Number))];
  const spread = found.difference_interval;
  const watch = (name, player) => h("a", { class: "button", href: watchPlayer(found.rules, found.seed, player) }, `Watch ${name} play`);
  return h("div", { class: "stack" },
    h("p", {}, h("b", { class: "number" }, `A scores ${plural(Math.abs(Math.round(found.difference)), "point")} ${found.difference < 0 ? "fewer" : "more"} than B`), h("span", { class: "muted number" }, spread ? ` · 95 % ${counted(spread[0])} to ${counted(spread[1])}` : "")),
    table(["Player", "Mean score", "95 %", "Largest tile"], [row(`A  ${found.names[0]}`, found.a), row(`B  ${found.names[1]}`, found.b)], "Scores of both"),
    h("div", { class: "row" }, watch("A", found.names[0]), watch("B", found.names[1])));
}
