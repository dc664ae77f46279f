// In and out: a link, the moves as text, the board as a picture, a record in the format of the house.

import { post } from "../api.js";
import { fill, h, toast } from "../dom.js";
import { copyPicture } from "./picture.js";

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied`);
  } catch {
    prompt(`${what}:`, text);
  }
}

export function download(name, data, type = "application/x-ndjson") {
  const address = URL.createObjectURL(new Blob([data], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export class Transfer {
  // game() gives the game, board() the element that is drawn; load({ game, start, moves, x, o }) takes a game in.
  constructor({ game, board, load }) {
    Object.assign(this, { game, load });
    this.remark = h("p", { class: "small", role: "status" });
    this.text = h("textarea", { rows: 2, spellcheck: false, "aria-label": "Moves, or a record" });
    this.element = h("section", { class: "card", "aria-label": "Share and save" },
      h("h2", {}, "Share and save"),
      h("div", { class: "stack tight" },
        h("div", { class: "toolbar" },
          h("button", { onclick: () => copy(location.href, "Link") }, "Copy link"),
          h("button", { onclick: () => copy(game().at.line.at(-1).moves.join(" "), "Moves") }, "Copy moves"),
          h("button", { onclick: () => copyPicture(board(), game()) }, "Copy picture"),
          h("button", { onclick: () => this.save() }, "Save record")),
        h("details", {}, h("summary", {}, "Paste moves"),
          h("div", { class: "stack tight" },
            h("p", { class: "help" }, "Moves such as 22 11 13 (row and column) or b2 a1 c1 (column a, b, c …, row from the top), or a line of a record file."),
            this.text, h("button", { onclick: () => this.take() }, "Paste moves"))),
        this.remark));
  }

  say(sentence, bad = false) {
    fill(this.remark, h("span", { class: bad ? "error" : "muted" }, sentence));
  }

  async save() {
    const { game, x, o, start, seed, at } = this.game();
    try {
      const { line } = await post("/game/record", { game, start, x, o, seed, moves: at.line.at(-1).moves });
      download("game.jsonl", line);
      this.say("Saved; gridlab games verify reads it.");
    } catch (error) {
      this.say(error.message, true);
    }
  }

  async take() {
    try {
      const found = read(this.text.value.trim(), this.game());
      await this.load(found);
      this.say(`${found.count} ${found.count === 1 ? "move" : "moves"} pasted.`);
    } catch (error) {
      this.say(error.message, true);
    }
  }
}

// A text as a game: moves in any usual form, with variations in brackets, or a record.
export function read(text, { game, start }) {
  if (!text) throw new Error("There is nothing to paste: write moves such as 22 11 13, or a line of a record file.");
  if (text.startsWith("{")) return record(text);
  const wide = /(\d+)x(\d+)/.exec(game)?.slice(1).some((side) => Number(side) > 9);
  const moves = text
    .replaceAll(/(^|[\s(])\d{1,2}\.+(?=\s|$)/g, "$1") // 1. and 1... count moves
    .replaceAll(/([a-z])(\d{1,2})\b/gi, (_, column, row) => `${row}${wide ? "," : ""}${column.toLowerCase().charCodeAt(0) - 96}`)
    .replaceAll(wide ? /[\s;.]+/g : /[\s;.,]+/g, ".")
    .split(".").filter((each) => wide || !/^\d$/.test(each)).join(".");
  return { game, start, moves, count: (moves.match(/[^().]+/g) ?? []).length };
}

function record(text) {
  let found;
  try {
    found = JSON.parse(text.split("\n")[0]);
  } catch {
    throw new Error("This is not a record: a record is a line of JSON, such as gridlab match --out writes.");
  }
  if (!found.rules || !Array.isArray(found.moves)) throw new Error("This is not a record of an in-a-row game: rules and moves are missing.");
  const name = (player) => (!player || player === "person" ? "" : String(player));
  return { game: String(found.rules), start: "", moves: found.moves.join("."), x: name(found.x), o: name(found.o), count: found.moves.length, watch: true };
}
