// Links to watch: a game that was played, on the board; a player at 2048.

import { link } from "./route.js";

export const RESULTS = { x_wins: "X wins", o_wins: "O wins", draw: "draw" };

// A game as it was played, from its start, under the names of those who played it.
export function watchGame(game, moves, x, o) {
  return link("board", { game, moves: moves.join("."), x, o, at: 0, watch: 1 });
}

export function watchPlayer(game, seed, player) {
  return link("2048", { game, seed, player, watch: 1 });
}
