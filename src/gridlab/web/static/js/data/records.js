// Games between two, from a file of records: each opens on the board, to be watched.

import { get } from "../api.js";
import { table } from "../charts.js";
import { fill, h, plural } from "../dom.js";
import { RESULTS, watchGame } from "../watch.js";
import { card } from "./card.js";

const PAGE = 24;

export async function records(element, file) {
  await page(element, file, 0);
}

async function page(element, file, first) {
  const found = await get("/files/records", { file: file.path, first, count: PAGE });
  const rows = found.games.map((each) => [
    h("a", { href: watchGame(each.rules, each.moves, each.x, each.o) }, `Game ${each.number + 1}`), each.rules, each.x, each.o, RESULTS[each.result], plural(each.moves.length, "move"),
  ]);
  const turn = (by) => page(element, file, Math.max(0, first + by)).catch((error) => fill(element, h("p", { class: "empty" }, error.message)));
  fill(element, card(file.path, h("p", { class: "muted" }, "A game opens on the board, to be watched from its start with the value of every position."), table(["Game", "Rules", "X", "O", "Result", "Length"], rows, "Recorded games"),
    h("div", { class: "row" }, h("button", { disabled: first === 0, onclick: () => turn(-PAGE) }, "Back"), h("button", { disabled: !found.more, onclick: () => turn(PAGE) }, "Forward"))));
}
