// A recorded game of 2048, board by board.

import { get } from "../api.js";
import { lines } from "../charts.js";
import { counted, drawing, fill, h } from "../dom.js";
import { ARROWS } from "./advice.js";

const STEP = 120; // milliseconds between two boards
const PART = 200; // boards that are asked for at once

export class Replay {
  constructor(file, number) {
    Object.assign(this, { file, number, at: 0, parts: new Map(), playing: null });
    this.paper = h("div", { class: "tiles" });
    this.paper.style.aspectRatio = "1";
    this.words = h("p", { class: "number", role: "status" });
    this.slider = h("input", { type: "range", min: 0, value: 0, "aria-label": "Move", oninput: () => this.jump(Number(this.slider.value)) });
    this.play = h("button", { class: "primary", onclick: () => this.toggle() }, "Play");
    this.chart = h("div", {});
    this.element = h("div", { class: "stack" }, this.paper, this.words, this.slider,
      h("div", { class: "toolbar" }, this.play, h("button", { onclick: () => this.jump(this.at - 1) }, "Back"), h("button", { onclick: () => this.jump(this.at + 1) }, "Forward")), this.chart);
    this.jump(0);
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    this.play.textContent = "Play";
  }

  toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.at >= this.total - 1) this.at = -1;
    this.play.textContent = "Pause";
    this.playing = setInterval(() => (this.at >= this.total - 1 || !this.element.isConnected ? this.stop() : this.jump(this.at + 1)), STEP);
  }

  async part(first) {
    if (!this.parts.has(first)) this.parts.set(first, get("/files/games2048/replay", { file: this.file, number: this.number, first, count: PART }));
    return this.parts.get(first);
  }

  async jump(at) {
    this.at = Math.max(0, this.total ? Math.min(at, this.total - 1) : at);
    const mine = this.at;
    try {
      const part = await this.part(mine - (mine % PART));
      if (mine !== this.at) return;
      this.total = part.total;
      this.slider.max = part.total - 1;
      this.slider.value = mine;
      const here = mine - part.first, direction = part.directions[here];
      this.paper.style.aspectRatio = `${part.cols} / ${part.rows}`;
      fill(this.paper, drawing(part.svgs[here], "tiles-svg"));
      this.words.textContent = `Move ${mine} of ${part.total - 1}, ${counted(part.scores[here])} points${direction ? `, next ${direction} ${ARROWS[direction]}` : ", the end"}`;
      if (!this.chart.hasChildNodes()) fill(this.chart, lines({ title: "Score over the game", series: [{ points: part.history }], below: "move", low: 0 }));
    } catch (error) {
      this.stop();
      fill(this.words, h("span", { class: "error" }, error.message));
    }
  }
}
