// What is shown of 2048: scores, board, buttons, advice, the end, and the cards below.

import { announce, counted, fill, h, plural, select } from "../dom.js";
import { sizeOf } from "../game-picker.js";
import { prefer } from "../prefs.js";
import { Directions } from "./advice.js";
import { PACES } from "./auto.js";
import { adviserCard, boardCard, boardName, Chart, keepCard } from "./cards.js";
import { endScreen, Review } from "./end.js";
import { kept } from "./keep.js";
import { textOf } from "./moves.js";
import { Tiles } from "./tiles.js";

const CHEER = 5000; // milliseconds

export class Screen {
  // `page` is who does what is asked for here.
  constructor(main, page) {
    Object.assign(this, { page, game: page.game, tiles: new Tiles(), chart: new Chart() });
    this.directions = new Directions((direction) => page.press(direction));
    this.review = new Review({ goTo: (ply) => page.game.goTo(ply) });
    this.keepCard = keepCard({ share: () => page.share(), save: () => page.save() });
    this.build(main);
  }

  leave() {
    this.review.hide();
    this.chart.stop();
    clearTimeout(this.cheering);
  }

  build(main) {
    for (const kind of ["score", "best", "count", "largest"]) this[kind] = h("span", { class: "amount", "data-testid": kind }, "0");
    this.best.title = "The most points on this board in games without autoplay";
    const amount = (name, kind) => h("div", {}, h("span", { class: "name" }, name), this[kind]);
    this.title = h("h1", {}, boardName(this.page.rules));
    this.aside = h("p", { class: "notice small" });
    const head = h("div", { class: "head" }, this.title, h("div", { class: "scores" }, amount("Score", "score"), amount("Best", "best"), amount("Moves", "count"), amount("Largest", "largest")), this.aside);
    this.adviser = h("div", { class: "adviser" });
    this.board = h("div", {});
    this.showCards();
    this.section = h("section", { class: "play2048", "aria-label": "Game" }, head, this.builtStage(), h("div", { class: "tools" }, this.toolbar(), this.directions.element, this.review.element, this.adviser));
    this.shape(...sizeOf(this.page.rules));
    fill(main, this.section, h("div", { class: "below2048" }, this.board, this.chart.element, this.keepCard.element));
  }

  builtStage() {
    this.cheerBox = h("p", { class: "cheer", hidden: true });
    this.endBox = h("div", {});
    this.tiles.element.append(this.cheerBox);
    this.stage = h("div", { class: "stage" }, this.tiles.element, this.endBox);
    return this.stage;
  }

  // The board has its room before the server has said anything.
  shape(rows, cols) {
    this.section.style.setProperty("--shape", cols / rows);
    this.tiles.element.style.aspectRatio = `${cols} / ${rows}`;
  }

  toolbar() {
    const { page } = this;
    const button = (name, act, more = {}) => h("button", { onclick: act, ...more }, name);
    this.undoButton = button("Undo", () => page.undo());
    this.redoButton = button("Redo", () => page.redo());
    this.hintButton = button("Hint", () => page.hint());
    this.valuesButton = button("Values", () => page.toggle(), { "aria-pressed": String(page.shown) });
    this.autoButton = button("Autoplay", () => page.play(Infinity), { "aria-pressed": "false" });
    this.stepButton = button("Step", () => page.play(1), { title: "One move of the adviser" });
    const pace = select(Object.entries(PACES).map(([name, [title]]) => [name, title]), page.pace, (value) => { page.pace = value; prefer("speed2048", value); }, { "aria-label": "Speed of autoplay", class: "pace" });
    return h("div", { class: "toolbar" }, button("New game", () => page.begin(), { class: "primary" }),
      this.undoButton, this.redoButton, this.hintButton, this.valuesButton, this.autoButton, this.stepButton, pace);
  }

  showCards() {
    const { page } = this;
    fill(this.adviser, adviserCard({ rules: page.rules, player: page.player, choose: (text) => page.choose(text) }));
    fill(this.board, boardCard({ rules: page.rules, change: (rules) => page.change(rules), begin: (seed) => page.begin(seed) }));
  }

  say(text, bad = false) {
    const usual = bad && this.page.rules !== "2048";
    this.directions.word = text && [h("span", { class: bad ? "error" : "soon" }, text, " "),
      usual ? h("button", { class: "link", onclick: () => this.page.change("2048") }, "Play on 4×4") : ""];
    this.drawAdvice();
  }

  cheer(text) {
    this.cheerBox.textContent = text;
    this.cheerBox.hidden = false;
    announce(text);
    clearTimeout(this.cheering);
    this.cheering = setTimeout(() => { this.cheerBox.hidden = true; }, CHEER);
  }

  // ---- after every change

  draw() {
    const { state, moves, later } = this.game, { best } = kept(this.page.rules);
    this.shape(state.rows, state.cols);
    this.board.querySelector("[type=number]").placeholder = state.seed;
    this.title.textContent = boardName(this.page.rules);
    this.score.textContent = counted(state.score);
    this.best.textContent = counted(best);
    this.largest.textContent = String(state.max_tile);
    this.count.textContent = counted(moves.length);
    this.undoButton.disabled = !moves.length;
    this.redoButton.disabled = !later.length;
    this.stepButton.disabled = this.autoButton.disabled = this.hintButton.disabled = state.over;
    this.valuesButton.setAttribute("aria-pressed", String(this.page.shown));
    this.keepCard.draw(state);
    this.chart.draw(this.game);
    this.drawOther();
    this.drawEnd(state, best);
    this.drawAdvice();
  }

  // The visitor's other game, while one of a link or a new one is on the board.
  drawOther() {
    const { running, aside } = kept(this.page.rules);
    const other = this.page.guest ? running : aside;
    fill(this.aside, other?.at ? [h("span", { class: "muted" }, `Your other game: ${plural(other.at, "move")}, ${plural(other.score, "point")}. `),
      h("button", { class: "link", onclick: () => this.page.back() }, "Back to it")] : []);
  }

  drawEnd(state, best) {
    const { game, seed, all } = this.game, { record } = this.page, player = this.page.reviewer();
    const key = `${game} ${seed} ${textOf(all)} ${player}`;
    if (!state.over) {
      fill(this.endBox);
      if (this.review.of !== key) this.review.hide();
      return;
    }
    const isBest = record.own && state.score >= best;
    fill(this.endBox, endScreen({ score: state.score, best, isBest, begin: () => this.page.begin(), undo: () => this.page.undo() }));
    this.review.see({ key, game, seed, moves: all, player });
    announce(`The game is over: ${plural(state.score, "point")}.`);
  }

  drawAdvice() {
    const { state, advice } = this.game, { shown, hinted, player } = this.page;
    const hint = Boolean(state) && hinted === state;
    this.directions.element.hidden = Boolean(state?.over);
    this.directions.show({ state, advice: advice?.player === player ? advice : null, values: shown, hint });
    if (hint && advice?.found) announce(this.directions.remark.textContent);
  }

  drawQueue() {
    const { state, moves, queue, skipped } = this.game, busy = queue.length > 0;
    this.tiles.element.setAttribute("aria-busy", String(busy));
    this.tiles.element.dataset.skipped = skipped;
    if (state && !this.page.auto.on) this.say(busy ? `${plural(queue.length, "move")} on the way …` : "");
    if (!busy && state && !state.over && !this.page.auto.on && moves.length) announce(`${plural(state.score, "point")}, largest tile ${state.max_tile}`);
  }

  drawAuto() {
    this.autoButton.textContent = this.page.auto.on ? "Pause" : "Autoplay";
    this.autoButton.setAttribute("aria-pressed", String(this.page.auto.on));
  }
}
