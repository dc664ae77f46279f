// Set up a position: by clicking cells, or by text.

import { get } from "../api.js";
import { field, fill, h } from "../dom.js";

const NEXT = { ".": "X", X: "O", O: "." };
const emptied = (board) => board.replaceAll(/[XO]/g, ".");

export class Setup {
  // changed(position) draws it; done(board or null) ends it.
  constructor({ changed, done }) {
    this.changed = changed;
    this.remark = h("p", { class: "small", role: "status" });
    this.input = h("input", { type: "text", spellcheck: false, autocomplete: "off", class: "mono", oninput: () => this.check(this.input.value) });
    this.use = h("button", { class: "primary", onclick: () => done(this.position.board) }, "Play from here");
    this.element = h("section", { class: "card", "aria-label": "Set up a position", hidden: true },
      h("h2", {}, "Set up a position"),
      h("div", { class: "stack tight" },
        h("p", { class: "help" }, "Click a cell for X, again for O, again to clear it. Or write the rows, such as X.O/.X./..."),
        field("Board", this.input), this.remark,
        h("div", { class: "row" }, this.use, h("button", { onclick: () => this.clear() }, "Empty board"), h("button", { onclick: () => done(null) }, "Cancel"))));
    this.turn = 0;
  }

  begin(game, position) {
    this.game = game;
    this.position = position;
    this.element.hidden = false;
    this.input.value = position.board;
    this.check(position.board);
  }

  end() {
    this.element.hidden = true;
  }

  press(cell) {
    const written = this.input.value; // what is being checked may be newer than what was
    const rows = (emptied(written) === emptied(this.position.board) ? written : this.position.board).split("/");
    const cols = this.position.cols, row = Math.floor(cell / cols), col = cell % cols;
    rows[row] = rows[row].slice(0, col) + NEXT[rows[row][col]] + rows[row].slice(col + 1);
    this.input.value = rows.join("/");
    this.check(this.input.value);
  }

  clear() {
    this.input.value = emptied(this.position.board);
    this.check(this.input.value);
  }

  async check(board) {
    const mine = ++this.turn;
    try {
      const position = await get("/position", { game: this.game, board });
      if (mine !== this.turn) return;
      this.position = position;
      const said = position.flaw ? `No game leads here: ${position.flaw}.` : position.over ? "A game that is over." : `${position.to_move} is to move.`;
      fill(this.remark, h("span", { class: position.flaw ? "error" : "muted" }, said));
      this.input.removeAttribute("aria-invalid");
      this.use.disabled = Boolean(position.flaw);
      this.changed(position);
    } catch (error) {
      if (mine !== this.turn) return;
      this.input.setAttribute("aria-invalid", "true");
      this.use.disabled = true;
      fill(this.remark, h("span", { class: "error" }, error.message));
    }
  }
}
