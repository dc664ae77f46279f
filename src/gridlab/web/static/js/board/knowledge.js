// What the server has said of positions, remembered; and the best line after a move.

import { get } from "../api.js";

export class Knowledge {
  constructor() {
    this.known = new Map(); // values by game and board
    this.lines = new Map();
  }

  get(game, board) {
    return this.known.get(`${game} ${board}`) ?? null;
  }

  keep(game, values) {
    this.known.set(`${game} ${values.board}`, values);
  }

  async ask(game, board, signal) {
    const known = this.get(game, board);
    if (known?.exact) return known;
    const values = await get("/values", { game, board }, signal);
    this.keep(game, values);
    return values;
  }

  // The best moves from a position on.
  rest(game, board) {
    const key = `${game} ${board}`;
    if (!this.lines.has(key)) this.lines.set(key, get("/line", { game, board }).then((found) => found.moves));
    const asked = this.lines.get(key);
    asked.catch(() => this.lines.delete(key));
    return asked;
  }

  // The move and what follows with best play: cells with their numbers, or null if it is not known.
  async line(game, position, move) {
    const after = await this.rest(game, boardAfter(position, move.cell)).catch(() => null);
    if (!after) return null;
    const sides = [position.to_move, position.to_move === "X" ? "O" : "X"];
    const moves = [move.move, ...after];
    const ghosts = new Map(moves.map((each, number) => [cellOf(each, position.cols), { number: number + 1, side: sides[number % 2] }]));
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

function boardAfter({ board, rows, cols, to_move: side }, cell) {
  const marks = [...board.replaceAll("/", "")];
  marks[cell] = side;
  return Array.from({ length: rows }, (_, row) => marks.slice(row * cols, (row + 1) * cols).join("")).join("/");
}
