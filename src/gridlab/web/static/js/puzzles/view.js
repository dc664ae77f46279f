// The page of puzzles: find the move that keeps the win or the draw; in 2048 the direction that is worth most.

import { get, post, whenBack } from "../api.js";
import { valueWords } from "../board/words.js";
import { announce, field, fill, h, number, select, toast } from "../dom.js";
import { preference, prefer } from "../prefs.js";
import { link, remember } from "../route.js";
import { Directions } from "./directions.js";
import { Lines } from "./lines.js";
import { Score } from "./score.js";
import { Stage } from "./stage.js";
import { gameWords, levelWords, shortRules, TASKS, taskWords, verdictWords } from "./words.js";

const FIRST = { game: "tictactoe", level: 1, number: null };
const SURE = "Forget this score?";

export function view(main, parameters) {
  const page = new PuzzlePage(main, parameters);
  return () => page.leave();
}

// What an address asks for; where it says nothing, the game and level of last time, and the first puzzle not tried.
function askedBy(parameters) {
  const whole = (name) => (/^\d{1,6}$/.test(parameters.get(name) ?? "") ? Number(parameters.get(name)) : null);
  const last = parameters.has("game") ? { game: parameters.get("game"), level: 1 } : preference("puzzle", FIRST);
  return { game: last.game, level: whole("level") ?? last.level, number: whole("number") };
}

class PuzzlePage {
  constructor(main, parameters) {
    this.asked = askedBy(parameters);
    this.turn = 0;
    this.stage = new Stage((move) => this.press(move));
    this.directions = new Directions((direction) => this.press(direction));
    this.lines = new Lines((step) => (step ? this.walk(step) : this.stage.values(this.found)));
    this.build(main);
    this.hear = (event) => this.shortcut(event);
    addEventListener("keydown", this.hear);
    this.unwatch = whenBack(() => { if (!this.question) this.begin(); });
    this.begin();
  }

  leave() {
    this.turn++;
    this.stage.rest();
    removeEventListener("keydown", this.hear);
    this.unwatch();
  }

  build(main) {
    this.pickers = h("div", { class: "puzzle-pickers" });
    this.about = h("p", { class: "muted puzzle-about" });
    this.task = h("h2", { class: "puzzle-task" });
    this.rules = h("p", { class: "muted" });
    this.verdict = h("div", { class: "puzzle-verdict" });
    this.onward = h("button", { type: "button", class: "onward", title: "N", onclick: () => this.next() }, "Skip");
    this.explore = h("p", { class: "puzzle-explore" });
    this.amounts = h("dl", { class: "puzzle-amounts" });
    this.again = h("button", { type: "button", class: "link", onclick: () => this.startOver(), onblur: () => { this.again.textContent = "Start over"; } }, "Start over");
    this.inFull = h("p", {});
    this.element = h("div", { class: "puzzle waiting" },
      h("h1", { class: "visually-hidden" }, "Puzzles"), this.pickers, this.about,
      h("div", { class: "puzzle-ask" }, this.task, this.rules),
      h("section", { class: "card puzzle-board", "aria-label": "Puzzle" }, this.stage.element),
      h("section", { class: "puzzle-answer", "aria-label": "Answer" }, this.directions.element, this.verdict, h("div", { class: "toolbar" }, this.onward)),
      h("div", { class: "puzzle-why" }, this.directions.worths, this.lines.element, this.explore),
      h("section", { class: "puzzle-count", "aria-label": "Score" }, this.amounts, this.again),
      h("details", { class: "puzzle-rules" }, h("summary", {}, "The rules in full"), this.inFull));
    fill(main, this.element);
  }

  // ---- which puzzle

  async begin() {
    const mine = ++this.turn;
    try {
      this.games = await get("/puzzles");
      if (mine === this.turn) await this.open(this.asked);
    } catch (error) {
      if (mine === this.turn) this.fail(error);
    }
  }

  // A puzzle by number, or the first of its level that was not tried. A game may be named by its rules.
  async open(asked, focus = false) {
    const mine = ++this.turn;
    this.question = this.found = null;
    const game = this.games.find((each) => each.game === asked.game || each.rules === asked.game);
    const level = game?.levels.find((each) => each.level === asked.level);
    const score = game ? new Score(game.exam) : null;
    this.asked = { ...asked, game: game?.game ?? asked.game, number: asked.number ?? (level ? score.next(level.level, 0, level.puzzles) : 1) };
    try {
      const question = await get("/puzzles/question", this.asked);
      if (mine !== this.turn) return;
      Object.assign(this, { game, level, score, question });
      prefer("puzzle", { game: game.game, level: level.level });
      this.ask();
      if (focus) this.stage.focus();
    } catch (error) {
      if (mine === this.turn) this.fail(error);
    }
  }

  next() {
    if (!this.question) return;
    const { game, level, number: at, of } = this.question;
    this.open({ game, level, number: this.score.next(level, at, of) }, true);
  }

  // Another game or level: the level of that name if the game has it, else its first.
  pick(name, level) {
    const { levels } = this.games.find((each) => each.game === name);
    this.open({ game: name, level: levels.some((each) => each.level === level) ? level : levels[0].level, number: null });
  }

  // ---- the question

  ask() {
    const { question, game } = this;
    const { aim, position } = question;
    remember("puzzles", { game: question.game, level: question.level, number: question.number });
    this.element.classList.remove("waiting");
    this.picked = null;
    this.lines.clear();
    fill(this.verdict);
    fill(this.explore);
    this.showPickers();
    this.about.textContent = levelWords(this.level, game.family);
    this.rules.textContent = shortRules(game);
    this.inFull.textContent = game.words;
    const side = aim === "points" ? [] : [h("b", { class: `side-${position.to_move.toLowerCase()}` }, position.to_move), " to move. "];
    fill(this.task, ...side, TASKS[aim]);
    this.stage.ask(position);
    this.directions.ask(aim === "points" ? question.legal : null);
    this.offer("Skip", false);
    this.count();
    announce(`Puzzle ${question.number} of ${question.of}. ${taskWords(question)}`);
  }

  showPickers() {
    const { game, level, number: at, of } = this.question;
    const controls = [
      select(this.games.map((each) => [each.game, gameWords(each)]), game, (value) => this.pick(value, level)),
      select(this.game.levels.map((each) => [String(each.level), each.name]), String(level), (value) => this.pick(game, Number(value))),
      number(at, 1, of, (value) => this.open({ game, level, number: Math.max(1, Math.min(of, Math.floor(value) || 1)) })),
    ];
    const held = [...this.pickers.querySelectorAll("select, input")].indexOf(document.activeElement);
    fill(this.pickers, ["Game", "Level", "Number"].map((name, place) => field(name, controls[place])));
    controls[held]?.focus();
  }

  // ---- the answer

  // A first move is the answer; any further one is asked about.
  press(move) {
    if (!this.question || this.judging || !this.question.legal.includes(move)) return;
    if (!this.found) this.answer(move);
    else if (this.question.aim !== "points") this.pickLine(move);
  }

  async answer(move) {
    const mine = this.turn, { game, level, number: at } = this.question;
    this.judging = true;
    try {
      const found = await post("/puzzles/answer", { game, level, number: at, move });
      if (mine === this.turn) this.tell(found, this.score.count(level, at, found.right));
    } catch (error) {
      if (mine === this.turn) toast(error.message, true);
    }
    this.judging = false;
  }

  tell(found, counted) {
    this.found = found;
    this.stage.rest();
    const { right } = found, { streak } = this.score.totals;
    const words = verdictWords(found, this.question.aim), sign = right ? "Right" : "Wrong";
    const after = counted ? (right && streak > 1 ? `Streak ${streak}.` : "") : "Not counted: this puzzle was answered before.";
    fill(this.verdict, h("p", { class: `sign ${right ? "is-right" : "is-wrong"}` }, h("span", { "aria-hidden": "true" }, right ? "✓ " : "✗ "), `${sign}.`),
      h("p", { class: "words" }, words, " ", h("span", { class: "muted" }, after)));
    if (this.question.aim === "points") this.directions.tell(found);
    else this.stage.values(found);
    this.offer("Next puzzle", true);
    this.count();
    announce(`${sign}. ${words} ${after}`);
    this.onward.focus();
    this.explain();
  }

  // ---- why

  explain() {
    const { position, game, aim } = this.question, { move, best } = this.found;
    if (aim === "points") {
      fill(this.explore, h("a", { class: "button", href: link("2048", { game }) }, `Play ${gameWords(this.game)}`));
      return;
    }
    const first = best.includes(move) ? move : best[0];
    this.lines.add("Best play", this.worth(first), this.line(first));
    if (first !== move) this.lines.add("Your move", this.worth(move), this.line(move));
    fill(this.explore, h("a", { class: "button", href: link("board", { game, start: position.board, x: "you", o: "you" }) }, "Explore on the board"),
      h("span", { class: "muted" }, "A click on any move shows what follows it. W7 wins in 7 plies, L4 loses in 4, D draws."));
  }

  worth(move) {
    return this.found.moves.find((each) => each.move === move);
  }

  line(move) {
    const { game, level, number: at } = this.question;
    return get("/puzzles/line", { game, level, number: at, move });
  }

  // What follows a move is shown at once, and can be walked along; the same move again shows the values again.
  async pickLine(move) {
    const mine = this.turn, again = this.picked === move;
    this.picked = again ? null : move;
    if (again) {
      this.stage.values(this.found);
      return;
    }
    const row = this.lines.of(move) ?? (await this.lines.add("What if", this.worth(move), this.line(move), true));
    if (mine !== this.turn || this.picked !== move || !row.steps) return;
    this.stage.line(row.steps);
    announce(`${move} ${valueWords(row.worth.value, row.worth.distance)}: ${row.steps.map((each) => each.move).join(", ")}`);
  }

  walk(step) {
    this.picked = null;
    this.stage.step(step);
    announce(`${step.side} plays ${step.move}`);
  }

  // ---- around it

  offer(text, primary) {
    this.onward.textContent = text;
    this.onward.classList.toggle("primary", primary);
  }

  count() {
    const { streak, best, solved, tried } = this.score.totals;
    const parts = [["Streak", streak], ["Best", best], ["Solved", `${solved} of ${tried}`]];
    fill(this.amounts, parts.map(([name, amount]) => h("div", {}, h("dt", {}, name), h("dd", {}, String(amount)))));
    this.again.hidden = !tried;
  }

  // Twice, for what is forgotten does not come back.
  startOver() {
    if (this.again.textContent !== SURE) {
      this.again.textContent = SURE;
      return;
    }
    this.again.textContent = "Start over";
    this.score.reset();
    this.open({ ...this.asked, number: null }, true);
  }

  shortcut(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
    const enter = event.key === "Enter" && this.found && !event.target.closest?.("button, a");
    if (event.key.toLowerCase() !== "n" && !enter) return;
    event.preventDefault();
    this.next();
  }

  // Nothing to be seen but the reason, and a way on.
  fail(error) {
    const missing = error.status >= 400 && this.games;
    const known = this.games?.find((each) => each.game === this.asked.game);
    const first = () => (missing ? this.open(known ? { ...this.asked, level: known.levels[0].level, number: 1 } : FIRST) : this.begin());
    this.element.classList.add("waiting");
    fill(this.task, missing ? "There is no such puzzle." : "The puzzles could not be loaded.");
    fill(this.rules, h("span", { class: "error", role: "alert" }, error.message), " ", h("button", { type: "button", onclick: first }, missing ? "First puzzle" : "Try again"));
  }
}
