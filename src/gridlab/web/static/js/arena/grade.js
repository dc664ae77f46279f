// A grade: a player compared with perfect play, and where it blunders.

import { table, whiskers } from "../charts.js";
import { announce, counted, drawing, field, fill, h, number, percent, plural } from "../dom.js";
import { playerPicker } from "../player-picker.js";
import { link } from "../route.js";
import { Panel } from "./panel.js";

const GAMES = ["tictactoe", "tictactoe4", "tictactoe5", "squava", "2048:2x3", "2048:2x2"];
const SHOWN = 24; // blunders

export class GradePanel extends Panel {
  constructor() {
    super({
      name: "grade", title: "Grade", lead: "Positions in which a move can change the value, from every ply in turn.", verb: "Grade it", games: GAMES,
      settings: { game: "tictactoe", positions: 200, seed: 0 }, players: (solo) => ({ player: solo ? "expectimax depth=2" : "heuristic" }),
    });
    fill(this.fields, field("Positions", number(this.settings.positions, 1, 2000, (positions) => this.set({ positions }))), field("Seed", number(this.settings.seed, 0, 1e9, (seed) => this.set({ seed }))));
    this.restore();
  }

  pick() {
    const { game, player } = this.settings;
    fill(this.pickers, playerPicker({ name: "Player", game, chosen: player, choose: (text) => this.set({ player: text }) }));
  }

  run() {
    const { game, player, positions, seed } = this.settings;
    this.begin("grade", { game, player, positions, seed }).then((found) => {
      announce(`${player} was right in ${percent(found.accuracy ?? found.own_games.accuracy)} of the positions`);
    }, () => {});
  }

  // Drawings of blunders that are not shown need not be kept.
  keep() {
    this.last?.found.mistakes.splice(SHOWN);
    super.keep();
  }

  show(found) {
    fill(this.result, found.family === "2048" ? regrets(found) : accuracy(found));
  }
}

function accuracy(found) {
  const [low, high] = found.accuracy_interval;
  const rows = found.by_ply.map((each) => ({ name: String(each.ply), value: each.accuracy, low: each.accuracy_interval[0], high: each.accuracy_interval[1] }));
  const kinds = Object.entries(found.blunders).filter(([, times]) => times);
  const plies = found.by_ply.map((each) => [String(each.ply), each.positions, percent(each.accuracy), each.positions - Math.round(each.positions * each.accuracy)]);
  return h("div", { class: "stack" },
    h("div", { class: "score-line" }, h("span", { class: "big number" }, percent(found.accuracy)), h("span", { class: "muted small" }, `of ${plural(found.positions, "move")} keep the value · 95 % ${percent(low)} to ${percent(high)}`)),
    h("p", { class: "small" }, found.player, kinds.length ? `: ${kinds.map(([kind, times]) => `${kind.replace("->", " → ")} ${times}`).join(" · ")}` : ": no blunder."),
    whiskers({ title: "Accuracy by ply", rows, below: "ply", beside: "accuracy", format: (value) => percent(value, 0) }),
    h("details", {}, h("summary", {}, "As a table"), table(["Ply", "Positions", "Accuracy", "Blunders"], plies, "Accuracy by ply as a table")),
    found.mistakes.length ? h("div", { class: "stack tight" }, h("h3", {}, "Its blunders"), h("div", { class: "gallery" }, found.mistakes.slice(0, SHOWN).map((each) => mistake(each, found.rules)))) : null);
}

function mistake(each, game) {
  return h("figure", {}, h("a", { href: link("board", { game, start: each.board, x: "you", o: "you" }), "aria-label": `Look at ${each.board} on the board` }, drawing(each.svg, "board-svg")),
    h("figcaption", {}, `plays ${each.move}: ${each.change.replace("->", " → ")}`));
}

// In 2048 a move gives away points, or a part of a chance.
function regrets(found) {
  const { own_games: own, all_boards: every } = found;
  const worth = (value) => value.toLocaleString("en", { maximumFractionDigits: found.target === "score" ? 3 : 6 });
  const row = (name, one) => [name, one.boards, percent(one.accuracy), one.accuracy_interval.map((each) => percent(each)).join(" to "), worth(one.mean_regret)];
  const shown = found.mistakes.map((each) => h("figure", {}, drawing(each.svg, "tiles-svg"), h("figcaption", {}, `${each.played} gives away ${worth(each.regret)}; ${each.best} is best`)));
  return h("div", { class: "stack" },
    h("div", { class: "score-line" }, h("span", { class: "big number" }, percent(own.accuracy)), h("span", { class: "muted small" }, `of ${counted(own.boards)} moves of its own games are the best`)),
    h("p", {}, `${found.player} gives away ${worth(found.lost_a_game)} ${found.target === "score" ? "points" : `of the chance of a ${found.target}`} a game; best play is worth ${worth(found.best)}.`),
    table(["Boards", "Moves", "Best", "95 %", "Given away"], [row("of its games", own), row("all", every)], "What is given away"),
    shown.length ? h("div", { class: "stack tight" }, h("h3", {}, "Its worst moves"), h("div", { class: "gallery" }, shown)) : null);
}
