// What match and grade share: settings, a job and its result. A panel outlives the view, so the job goes on elsewhere.

import { h } from "../dom.js";
import { gamePicker } from "../game-picker.js";
import { runJob } from "../job-card.js";
import { kindsOf } from "../player-picker.js";
import { keep, kept } from "./kept.js";

const solo = (game) => game.startsWith("2048");

export class Panel {
  // `players(solo)` gives the settings that name players; a game of another family needs others.
  constructor({ name, title, lead, games, settings, players, verb }) {
    const before = kept(name);
    Object.assign(this, { name, players, settings: { ...settings, ...players(solo(settings.game)), ...before.settings }, work: null, last: before.last ?? null, turn: 0 });
    this.pickers = h("div", { class: "pair" });
    this.fields = h("div", { class: "fields" });
    this.progress = h("div", {});
    this.result = h("div", {});
    this.form = h("fieldset", { class: "stack" }, this.pickers, this.fields, h("div", {}, h("button", { class: "primary", type: "submit" }, verb)));
    const form = h("form", { onsubmit: (event) => { event.preventDefault(); this.run(); } }, this.form);
    this.element = h("section", { class: "card", "aria-label": title }, h("h2", {}, title), h("p", { class: "muted small lead" }, lead),
      h("div", { class: "stack" }, gamePicker(this.settings.game, (game) => this.choose(game), games), form, this.progress, this.result));
  }

  get solo() {
    return solo(this.settings.game);
  }

  set(change) {
    Object.assign(this.settings, change);
    this.keep();
  }

  keep() {
    keep(this.name, { settings: this.settings, last: this.last });
  }

  // Rules that the server refuses are told where they were chosen. Until it has answered, nothing else can be chosen.
  async choose(game) {
    const mine = ++this.turn;
    this.form.disabled = true;
    try {
      await kindsOf(game);
    } finally {
      if (mine === this.turn) this.form.disabled = false;
    }
    if (mine !== this.turn) return;
    this.set({ ...(solo(game) === this.solo ? {} : this.players(solo(game))), game });
    this.pick();
  }

  // What a result from before the page was reloaded says of itself.
  restore() {
    this.pick();
    if (!this.last) return;
    try {
      this.show(this.last.found);
      if (!this.last.done) this.progress.append(h("p", { class: "muted" }, "The page was reloaded while this ran, so it was stopped here."));
    } catch {
      this.result.replaceChildren();
    }
  }

  begin(kind, asked) {
    this.work?.cancel();
    this.result.replaceChildren();
    this.last = null;
    this.keep();
    const hear = (found, done) => {
      this.last = { found, done };
      this.keep();
      this.show(found);
    };
    this.work = runJob(this.progress, kind, asked, (state) => {
      if (state.partial && state.state === "running") hear(state.partial, false);
      else if (this.last && state.state !== "waiting" && state.state !== "running") hear(this.last.found, true);
    });
    return this.work.done.then((found) => {
      hear(found, true);
      return found;
    });
  }
}
