// Games between two, from a file of records: each opens on the board.

import { get } from "../api.js";
import { table } from "../charts.js";
import { fill, h } from "../dom.js";
import { link } from "../route.js";
import { card } from "./card.js";

const PAGE = 24;
const RESULTS = { x_wins: "X wins", o_wins: "O wins", draw: "draw" };

export async function records(element, file) {
  await page(element, file, 0);
}

async function page(element, file, first) {
  const found = await get("/files/records", { file: file.path, first, count: PAGE });
  const rows = found.games.map((each) => [
    h("a", { href: link("board", { game: each.rules, moves: each.moves.join("."), x: "you", o: "you" }) }, `Game ${each.number}`), each.rules, each.x, each.o, RESULTS[each.result], String(each.moves.length),
  ]);
  const turn = (by) => page(element, file, Math.max(0, first + by));
  fill(element, card(file.path, h("p", { class: "muted" }, "A game opens on the board, with the value of every position."), table(["Game", "Rules", "X", "O", "Result", "Moves"], rows),
    h("div", { class: "row" }, h("button", { disabled: first === 0, onclick: () => turn(-PAGE) }, "Back"), h("button", { disabled: !found.more, onclick: () => turn(PAGE) }, "Forward"))));
}
