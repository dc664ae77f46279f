// Where a puzzle stands: the board of stones, or the tiles of 2048 with keys and swipes.

import { Grid } from "../board/grid.js";
import { fill, h } from "../dom.js";
import { keys, swipes } from "../game2048/input.js";
import { Tiles } from "../game2048/tiles.js";

// `press(move)` is called for a click on a cell, a key or a swipe.
export class Stage {
  constructor(press) {
    this.press = press;
    this.element = h("div", { class: "puzzle-stage" });
    this.grid = new Grid({ press: (cell) => press(moveAt(cell, this.position)), look: () => {} });
    this.tiles = new Tiles();
    this.deaf = null; // stops hearing keys
    swipes(this.tiles.element, (direction) => press(direction));
  }

  // A question; it hears keys until `rest`.
  ask(position) {
    this.rest();
    this.position = position;
    const isTiles = position.tiles.length > 0;
    const board = isTiles ? this.tiles : this.grid;
    if (!isTiles) this.grid.reserve([position.rows, position.cols]);
    if (!board.element.isConnected) fill(this.element, board.element);
    this.tiles.element.style.aspectRatio = `${position.cols} / ${position.rows}`;
    board.show(position);
    this.mark();
    if (isTiles) this.deaf = keys((direction) => this.press(direction));
  }

  rest() {
    this.deaf?.();
    this.deaf = null;
  }

  // The value of every move; the best are ringed, the answer is green or red.
  values({ move, right, best, moves }) {
    const ringed = moves.filter((each) => best.includes(each.move)).map((each) => each.cell);
    this.grid.show(this.position, { values: moves, best: ringed });
    this.mark(moves.find((each) => each.move === move).cell, right);
  }

  // The board after a move of a line.
  step({ move, position }) {
    this.grid.show(position, { open: false, latest: cellOf(move, position) });
    this.mark();
  }

  // A whole line at once, its moves numbered.
  line(steps) {
    const ghosts = new Map(steps.map(({ move, side }, at) => [cellOf(move, this.position), { number: at + 1, side }]));
    this.grid.show(this.position, { ghosts });
    this.mark();
  }

  mark(cell = null, right = false) {
    for (const each of this.element.querySelectorAll("[data-answer]")) delete each.dataset.answer;
    const answered = cell === null ? null : this.element.querySelector(`[data-cell="${cell}"]`);
    if (answered) answered.dataset.answer = right ? "right" : "wrong";
  }

  focus() {
    this.element.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  }
}

function moveAt(cell, { rows, cols }) {
  const row = Math.floor(cell / cols) + 1, col = (cell % cols) + 1;
  return Math.max(rows, cols) > 9 ? `${row},${col}` : `${row}${col}`;
}

function cellOf(move, { cols }) {
  const [row, col] = move.includes(",") ? move.split(",").map(Number) : [...move].map(Number);
  return (row - 1) * cols + col - 1;
}
