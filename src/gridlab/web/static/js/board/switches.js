// What is shown beside the stones: values, hints, the network. Remembered, and against an opponent by itself: there
// values are a help that is asked for; otherwise they are shown until they are switched off.

import { fill, h } from "../dom.js";
import { preference, prefer } from "../prefs.js";

export class Switches {
  // game() is the game that is shown, network() tells whether there is a network for it; changed() after a switch.
  constructor({ game, network, changed }) {
    Object.assign(this, { game, network, changed });
    this.element = h("div", { class: "joined", role: "group", "aria-label": "What is shown" });
  }

  get played() {
    return !this.game().alone && !this.game().watched;
  }

  on(name) {
    return preference(this.played ? `${name}.play` : name, name === "values" && !this.played);
  }

  turn(name) {
    prefer(this.played ? `${name}.play` : name, !this.on(name));
    this.draw();
    this.changed();
  }

  draw() {
    const button = (name, text, title) => h("button", { "aria-pressed": String(this.on(name)), title, onclick: () => this.turn(name) }, text);
    fill(this.element, button("values", "Values", "What every move is worth (V)"), button("hint", "Hint", "Mark the best moves (H)"),
      this.network() ? button("network", "Network", "What a trained network thinks of every move") : null);
  }
}
