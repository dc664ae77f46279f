// Cells and moves, and the best line after a move, remembered.

import { get } from "../api.js";

const AHEAD = 4; // moves of a line that are drawn on the board

export class Lines {
  constructor() {
    this.known = new Map();
  }

  // The best moves from a position on.
  rest(game, board) {
    const key = `${game} ${board}`;
    if (!this.known.has(key)) this.known.set(key, get("/line", { game, board }).then((found) => found.moves));
    const asked = this.known.get(key);
    asked.catch(() => this.known.delete(key));
    return asked;
  }

  // The move and what follows with best play: all of it, and the first cells with their numbers; null if it is not known.
  async after(game, position, move) {
    const following = await this.rest(game, boardAfter(position, move.cell)).catch(() => null);
    if (!following) return null;
    const sides = [position.to_move, position.to_move === "X" ? "O" : "X"];
    const moves = [move.move, ...following];
    const ghosts = new Map(moves.slice(0, AHEAD).map((each, number) => [cellOf(each, position.cols), { number: number + 1, side: sides[number % 2] }]));
    return { moves, ghosts };
  }
}

export function cellOf(move, cols) {
  const [row, col] = move.includes(",") ? move.split(",").map(Number) : [Number(move[0]), Number(move[1])];
  return (row - 1) * cols + col - 1;
}

export function moveOf(cell, { rows, cols }) {
  const row = Math.floor(cell / cols) + 1, col = (cell % cols) + 1;
  return Math.max(rows, cols) > 9 ? `${row},${col}` : `${row}${col}`;
}

export function boardAfter({ board, rows, cols, to_move: side }, cell) {
  const marks = [...board.replaceAll("/", "")];
  marks[cell] = side;
  return Array.from({ length: rows }, (_, row) => marks.slice(row * cols, (row + 1) * cols).join("")).join("/");
}
