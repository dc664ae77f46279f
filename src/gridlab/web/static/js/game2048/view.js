// The page of 2048: play, ask for advice, let a player play, go back.

import { get, post, whenBack } from "../api.js";
import { download } from "../board/transfer.js";
import { lines } from "../charts.js";
import { announce, counted, field, fill, h, number, select, toast } from "../dom.js";
import { kindsOf, playerPicker } from "../player-picker.js";
import { sizeOf } from "../game-picker.js";
import { preference, prefer } from "../prefs.js";
import { link, remember } from "../route.js";
import { advice, ARROWS } from "./advice.js";
import { keys, swipes } from "./input.js";
import { Tiles } from "./tiles.js";

const SPEEDS = { slow: [1, 1], normal: [1, 2.5], fast: [8, 9] }; // moves asked for together, speed of the animation
const SIZES = ["2048", "2048:3x3", "2048:3x4", "2048:5x5", "2048:2x3", "2048:2x2"];

export function view(main, parameters) {
  const page = new Page2048(main, parameters);
  return () => page.leave();
}

class Page2048 {
  constructor(main, parameters) {
    this.game = parameters.get("game") ?? preference("game2048", "2048");
    const seed = parameters.get("seed");
    this.seed = /^\d{1,15}$/.test(seed ?? "") ? Number(seed) : Math.floor(Math.random() * 1e6);
    this.player = preference("adviser", this.game === "2048" ? "ntuple" : "expectimax");
    this.shown = preference("values2048", false);
    this.speed = preference("speed2048", "normal");
    this.states = [];
    this.moves = [];
    this.tiles = new Tiles();
    this.tiles.element.style.aspectRatio = sizeOf(this.game).reverse().join(" / ");
    this.build(main);
    this.forget = [keys((direction) => this.move(direction)), whenBack(() => (this.states.length ? this.draw() : this.begin()))];
    swipes(this.tiles.element, (direction) => this.move(direction));
    this.begin();
  }

  leave() {
    this.playing = false;
    this.gone = true;
    for (const each of this.forget) each();
  }

  get state() {
    return this.states.at(-1);
  }

  build(main) {
    this.score = h("span", { class: "amount", "data-testid": "score" }, "0");
    this.most = h("span", { class: "amount" }, "0");
    this.count = h("span", { class: "amount" }, "0");
    this.status = h("p", { class: "muted", role: "status" }, "Arrow keys, WASD, the buttons or swipes.");
    this.values = h("div", { class: "stack tight" });
    this.chart = h("div", {});
    this.undoButton = h("button", { onclick: () => this.undo() }, "Undo");
    this.autoButton = h("button", { class: "primary", onclick: () => this.auto() }, "Autoplay");
    this.hintButton = h("button", { "aria-pressed": String(this.shown), onclick: () => this.toggle() }, "Values");
    this.saveButton = h("button", { onclick: () => this.save() }, "Save record");
    const pad = ["up", "left", "right", "down"].map((direction) => h("button", { class: direction, "aria-label": direction, onclick: () => this.move(direction) }, ARROWS[direction]));
    const amounts = [["Score", this.score], ["Largest tile", this.most], ["Moves", this.count]].map(([name, amount]) => h("div", {}, h("span", { class: "name" }, name), amount));
    const board = h("section", { class: "card", "aria-label": "Game" }, h("div", { class: "scores" }, amounts), this.tiles.element,
      h("div", { class: "stack" }, this.status, h("div", { class: "row spread" },
        h("div", { class: "toolbar" }, this.undoButton, this.hintButton, h("button", { onclick: () => this.hint() }, "Hint"), this.autoButton),
        h("div", { class: "pad", role: "group", "aria-label": "Directions" }, pad))));
    fill(main, h("div", { class: "page-head" }, h("h1", {}, "2048"), h("p", {}, "Slide, merge, and see what each direction is worth.")),
      h("div", { class: "columns" },
        h("div", { class: "column" }, board, h("section", { class: "card", "aria-label": "History" }, h("h2", {}, "Score over the game"), this.chart)),
        h("div", { class: "column" }, this.adviceCard(), this.newCard(), this.recordCard())));
  }

  adviceCard() {
    const picker = h("div", {});
    this.showPicker = () => fill(picker, playerPicker({
      name: "Adviser", game: this.game, chosen: this.player,
      choose: (text) => { this.player = text; prefer("adviser", text); this.ask(); },
    }));
    this.showPicker();
    this.preferExact();
    const speed = select([["slow", "Slow"], ["normal", "Normal"], ["fast", "Fast"]], this.speed, (value) => { this.speed = value; prefer("speed2048", value); });
    return h("section", { class: "card", "aria-label": "Advice" }, h("h2", {}, "Advice"), h("div", { class: "stack" }, this.values, picker, field("Speed of autoplay", speed)));
  }

  // A solved board knows the truth and is asked first; else whoever was chosen last; else a network, which counts in points.
  preferExact() {
    kindsOf(this.game).then((kinds) => {
      const able = (text) => kinds.some((each) => each.name === text.split(" ")[0] && !each.reason);
      const best = ["perfect", preference("adviser", "ntuple"), "ntuple"].find(able) ?? "expectimax";
      if (best === this.player) return;
      this.player = best;
      this.showPicker();
      this.ask();
    }, () => {});
  }

  newCard() {
    this.seedInput = number(this.seed, 0, 1e9, () => {});
    const own = h("input", { type: "text", value: this.game, spellcheck: false, placeholder: "2048:5x4:0.2" });
    const ownField = field("Rules", own, "Rows, columns, and the share of fours: 2048:5x4:0.2");
    ownField.hidden = SIZES.includes(this.game);
    const sizes = [...SIZES.map((each) => [each, each === "2048" ? "4×4" : each.replace("2048:", "").replace("x", "×")]), ["own", "Of your own …"]];
    const size = select(sizes, SIZES.includes(this.game) ? this.game : "own", (value) => { ownField.hidden = value !== "own"; });
    const begin = (seed) => { this.game = size.value === "own" ? own.value.trim() : size.value; this.seed = seed; prefer("game2048", this.game); this.showPicker(); this.preferExact(); this.begin(); };
    return h("section", { class: "card", "aria-label": "New game" }, h("h2", {}, "New game"), h("div", { class: "stack" },
      h("div", { class: "fields" }, field("Board", size), field("Seed", this.seedInput)), ownField,
      h("div", { class: "toolbar" },
        h("button", { onclick: () => begin(Math.max(0, Math.floor(Number(this.seedInput.value) || 0))) }, "Begin with this seed"),
        h("button", { onclick: () => begin(Math.floor(Math.random() * 1e6)) }, "Any"))));
  }

  recordCard() {
    const files = h("ul", { class: "list" });
    const card = h("section", { class: "card", "aria-label": "Recorded games" }, h("h2", {}, "Recorded games"), h("div", { class: "stack" }, h("div", {}, this.saveButton), files));
    get("/files").then((found) => {
      const games = found.filter((each) => each.kind === "games2048");
      fill(files, games.map((each) => h("li", {}, h("a", { href: link("data", { file: each.path }) }, h("span", { class: "path" }, each.path), h("span", { class: "muted" }, "replay")))));
      if (!games.length) fill(files, h("li", { class: "help" }, "A finished game can be saved as a line of JSON. Files of games in the served folder can be replayed here."));
    }, () => {});
    return card;
  }

  // ---- the game

  async begin() {
    this.playing = false;
    this.busy = true;
    try {
      this.states = [await get("/2048/start", { game: this.game, seed: this.seed })];
      this.tiles.element.style.aspectRatio = `${this.state.cols} / ${this.state.rows}`;
      this.moves = [];
      this.seedInput.value = this.seed;
      this.busy = false;
      this.draw();
      announce("New game");
    } catch (error) {
      fill(this.status, h("span", { class: "error" }, error.message, " "), h("button", { onclick: () => this.begin() }, "Try again"));
    }
  }

  asked(more) {
    const { board, score, seed, ply } = this.state;
    return { game: this.game, board, score, seed, ply, ...more };
  }

  async move(direction) {
    if (this.busy || this.playing || !this.state || !this.state.moves.includes(direction)) return;
    this.busy = true;
    try {
      const step = await post("/2048/move", this.asked({ direction }));
      await this.take(step, 1.4);
      if (!step.state.over) announce(`${direction}, ${counted(step.state.score)} points, largest tile ${step.state.max_tile}`);
    } catch (error) {
      toast(error.message, true);
    }
    this.busy = false;
    this.ask();
  }

  async take(step, speed) {
    this.states.push(step.state);
    this.moves.push(step.direction);
    await this.tiles.play(step, step.state.cols, speed);
    this.drawNumbers();
    if (step.state.over) {
      this.status.textContent = `The game is over: ${counted(step.state.score)} points.`;
      announce(this.status.textContent);
    }
  }

  undo() {
    if (this.busy || this.states.length < 2) return;
    this.playing = false;
    this.states.pop();
    this.moves.pop();
    this.draw();
    announce("Taken back");
  }

  async auto() {
    if (this.playing) {
      this.playing = false;
      return;
    }
    this.playing = true;
    this.autoButton.textContent = "Stop";
    try {
      while (this.playing && !this.gone && !this.state.over) {
        const [together, speed] = SPEEDS[this.speed];
        const { steps } = await post("/2048/autoplay", this.asked({ player: this.player, moves: together }));
        for (const step of steps) {
          if (!this.playing) break;
          await this.take(step, speed);
          await new Promise((go) => setTimeout(go, speed > 4 ? 16 : 90 / speed));
        }
      }
    } catch (error) {
      toast(error.message, true);
    }
    this.playing = false;
    this.autoButton.textContent = "Autoplay";
    this.drawNumbers();
    this.ask();
  }

  async hint() {
    if (!this.state || this.state.over) return;
    try {
      const { best } = await get("/2048/values", { game: this.game, board: this.state.board, player: this.player });
      this.status.textContent = `${this.player.split(" ")[0]} would go ${best} ${ARROWS[best]}`;
      announce(this.status.textContent);
    } catch (error) {
      toast(error.message, true);
    }
  }

  async save() {
    try {
      const { line } = await post("/2048/record", { game: this.game, seed: this.seed, moves: this.moves });
      download(`2048-${this.seed}.jsonl`, line);
    } catch (error) {
      toast(error.message, true);
    }
  }

  // ---- what is shown

  draw() {
    this.tiles.show(this.state);
    this.status.textContent = this.state.over ? `The game is over: ${counted(this.state.score)} points.` : "Arrow keys, WASD, the buttons or swipes.";
    this.drawNumbers();
    this.ask();
  }

  drawNumbers() {
    const { score, max_tile: tile } = this.state;
    this.score.textContent = counted(score);
    this.most.textContent = String(tile);
    this.count.textContent = counted(this.moves.length);
    this.undoButton.disabled = this.states.length < 2;
    this.saveButton.disabled = !this.state.over;
    this.saveButton.title = this.state.over ? "" : "When the game is over";
    remember("2048", { game: this.game, seed: this.seed });
    if (this.states.length > 2) {
      const step = Math.max(1, Math.floor(this.states.length / 200));
      const points = this.states.map((each, at) => [at, each.score]).filter(([at]) => at % step === 0 || at === this.states.length - 1);
      fill(this.chart, lines({ title: `Score after each of ${this.moves.length} moves: ${counted(score)} now`, series: [{ points }], below: "move", low: 0 }));
    } else {
      fill(this.chart, h("p", { class: "muted small" }, "It is drawn here as the game goes on."));
    }
  }

  toggle() {
    this.shown = !this.shown;
    prefer("values2048", this.shown);
    this.hintButton.setAttribute("aria-pressed", String(this.shown));
    this.ask();
  }

  async ask() {
    if (!this.shown) {
      fill(this.values, h("p", { class: "muted small" }, "Values shows what each direction is worth, and stays on until it is switched off."));
      return;
    }
    if (!this.state || this.playing) return;
    const { board } = this.state;
    try {
      const found = await get("/2048/values", { game: this.game, board, player: this.player });
      if (this.state.board === board) advice(this.values, found);
    } catch (error) {
      fill(this.values, h("p", { class: "error" }, error.message));
    }
  }
}
