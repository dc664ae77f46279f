// A grade: a player held to the truth, and where it blunders.

import { table, whiskers } from "../charts.js";
import { announce, counted, drawing, field, fill, h, number, percent } from "../dom.js";
import { gamePicker } from "../game-picker.js";
import { runJob } from "../job-card.js";
import { playerPicker } from "../player-picker.js";
import { link } from "../route.js";

export class GradePanel {
  constructor() {
    Object.assign(this, { game: "tictactoe", player: "heuristic", positions: 200, seed: 0, work: null });
    this.picker = h("div", {});
    this.progress = h("div", {});
    this.result = h("div", {});
    const form = h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); this.run(); } },
      gamePicker(this.game, (game) => this.choose(game)), this.picker,
      h("div", { class: "fields" }, field("Positions", number(this.positions, 1, 2000, (value) => { this.positions = value; })), field("Seed", number(this.seed, 0, 1e9, (value) => { this.seed = value; }))),
      h("div", {}, h("button", { class: "primary", type: "submit" }, "Grade it")));
    this.element = h("section", { class: "card", "aria-label": "Grade" }, h("h2", {}, "Grade"),
      h("p", { class: "muted small lead" }, "Positions in which a move can change the value, from every ply in turn."), h("div", { class: "stack" }, form, this.progress, this.result));
    this.choose(this.game);
  }

  leave() {
    this.work?.cancel();
  }

  choose(game) {
    this.game = game;
    fill(this.picker, playerPicker({ name: "Player", game, chosen: this.player, choose: (text) => { this.player = text; } }));
  }

  run() {
    this.work?.cancel();
    fill(this.result);
    const { game, player, positions, seed } = this;
    this.work = runJob(this.progress, "grade", { game, player, positions, seed });
    this.work.done.then((found) => {
      this.show(found);
      announce(`${player} keeps the value in ${percent(found.accuracy)} of the positions`);
    }, () => {});
  }

  show(found) {
    const [low, high] = found.accuracy_interval;
    const rows = found.by_ply.map((each) => ({ name: String(each.ply), value: each.accuracy, low: each.accuracy_interval[0], high: each.accuracy_interval[1] }));
    const kinds = Object.entries(found.blunders).filter(([, times]) => times);
    fill(this.result, h("div", { class: "stack" },
      h("div", { class: "score-line" }, h("span", { class: "big number" }, percent(found.accuracy)), h("span", { class: "muted small" }, `of ${counted(found.positions)} moves keep the value · 95 % ${percent(low)} to ${percent(high)}`)),
      kinds.length ? h("p", { class: "small" }, kinds.map(([kind, times]) => `${kind.replace("->", " → ")}: ${times}`).join(" · ")) : h("p", { class: "small" }, "No blunder."),
      whiskers({ title: "Accuracy by ply", rows, below: "ply", format: (value) => percent(value, 0) }),
      h("details", {}, h("summary", {}, "As a table"), table(["Ply", "Positions", "Accuracy", "Blunders"], found.by_ply.map((each) => [String(each.ply), each.positions, percent(each.accuracy), each.positions - Math.round(each.positions * each.accuracy)]))),
      found.mistakes.length ? h("div", { class: "stack tight" }, h("h3", {}, "Its blunders"), h("div", { class: "gallery" }, found.mistakes.slice(0, 24).map((each) => this.mistake(each)))) : null));
  }

  mistake(each) {
    return h("figure", {}, h("a", { href: link("board", { game: this.game, start: each.board, x: "you", o: "you" }), "aria-label": `Look at ${each.board} on the board` }, drawing(each.svg, "board-svg")),
      h("figcaption", {}, `plays ${each.move}: ${each.change.replace("->", " → ")}`));
  }
}
