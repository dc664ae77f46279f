// Watching two players, or a recorded game: at a pace that can be chosen, with pause and step.

import { fill, h } from "../dom.js";
import { preference, prefer } from "../prefs.js";

const PACES = { slow: [3000, "3 s a move"], normal: [1200, "1.2 s a move"], fast: [300, "0.3 s a move"], fastest: [0, "as fast as they play"] };

export class Watch {
  // step() goes on by one move; idle() tells whether the last one is there; ended() whether there is none left.
  constructor({ step, idle, ended }) {
    Object.assign(this, { step, idle, ended, running: false, timer: null, pace: preference("pace", "normal") });
    this.button = h("button", { class: "primary", onclick: () => (this.running ? this.pause() : this.run()) });
    this.one = h("button", { onclick: () => { this.pause(); this.step(); } }, "Step");
    this.choice = h("select", { "aria-label": "Pace", onchange: () => { this.pace = this.choice.value; prefer("pace", this.pace); } },
      Object.entries(PACES).map(([name, [, words]]) => h("option", { value: name }, words)));
    this.choice.value = this.pace in PACES ? this.pace : "normal";
    this.element = h("div", { class: "row watch", role: "group", "aria-label": "Watch", hidden: true }, this.button, this.one, this.choice);
    this.draw();
  }

  draw() {
    fill(this.button, this.running ? "Pause" : "Play on");
    this.one.disabled = this.button.disabled = this.ended();
  }

  run() {
    this.pause();
    this.running = true;
    this.next();
    this.draw();
  }

  pause() {
    clearTimeout(this.timer);
    this.running = false;
    this.draw();
  }

  // One move after the other, each when the one before is there and its time has passed.
  next() {
    if (!this.running) return;
    if (this.ended()) {
      this.pause();
      return;
    }
    const [wait] = PACES[this.choice.value];
    const due = () => {
      if (!this.running) return;
      if (this.idle()) {
        this.step();
        this.next();
      } else this.timer = setTimeout(due, 30);
    };
    this.timer = setTimeout(due, Math.max(wait, 20));
  }
}
