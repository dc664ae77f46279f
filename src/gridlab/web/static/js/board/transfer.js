// In and out: a link, the moves as text, a record in the format of the house.

import { post } from "../api.js";
import { fill, h, toast } from "../dom.js";

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied`);
  } catch {
    prompt(`${what}:`, text);
  }
}

export function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export class Transfer {
  // game() gives the game; load({ game, start, moves }) takes one in.
  constructor({ game, load }) {
    this.remark = h("p", { class: "small", role: "status" });
    this.text = h("textarea", { rows: 2, spellcheck: false, "aria-label": "Moves, or a record" });
    this.element = h("section", { class: "card", "aria-label": "Share and keep" },
      h("h2", {}, "Share and keep"),
      h("div", { class: "stack tight" },
        h("div", { class: "toolbar" },
          h("button", { onclick: () => copy(location.href, "Link") }, "Copy link"),
          h("button", { onclick: () => copy(game().moves.join(" "), "Moves") }, "Copy moves"),
          h("button", { onclick: () => this.save(game()) }, "Save record")),
        h("details", {}, h("summary", {}, "Take in moves"),
          h("div", { class: "stack tight" },
            h("p", { class: "help" }, "Moves such as 22 11 13, or a line of a record file."),
            this.text, h("button", { onclick: () => this.take(game(), load) }, "Take in"))),
        this.remark));
  }

  say(sentence, bad = false) {
    fill(this.remark, h("span", { class: bad ? "error" : "muted" }, sentence));
  }

  async save(game) {
    try {
      const { line } = await post("/game/record", game.asked());
      download("game.jsonl", line);
      this.say("Saved; gridlab games verify reads it.");
    } catch (error) {
      this.say(error.message, true);
    }
  }

  async take(game, load) {
    const asked = read(this.text.value.trim(), game);
    try {
      await post("/game", { game: asked.game, start: asked.start, moves: asked.moves });
      load(asked);
      this.say(`${asked.moves.length} moves taken in.`);
    } catch (error) {
      this.say(error.message, true);
    }
  }
}

function read(text, game) {
  if (text.startsWith("{")) {
    try {
      const record = JSON.parse(text.split("\n")[0]);
      return { game: String(record.rules), start: "", moves: (record.moves ?? []).map(String) };
    } catch {
      return { game: game.game, start: game.start, moves: [text.slice(0, 5)] };
    }
  }
  return { game: game.game, start: game.start, moves: text.split(/[\s.;]+/).filter(Boolean).map((each) => each.slice(0, 5)) };
}
