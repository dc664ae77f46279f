// Terminal wins: how many a ply, a gallery to page through, and a search.

import { get } from "../api.js";
import { bars, legend, table } from "../charts.js";
import { counted, drawing, field, fill, h, plural, select } from "../dom.js";
import { runJob } from "../job-card.js";
import { link } from "../route.js";
import { card, facts } from "./card.js";

const PAGE = 24;

export async function terminals(element, file) {
  const found = await get("/files/terminals", { file: file.path });
  const total = found.layers.reduce((sum, each) => sum + each.records, 0);
  const known = found.layers.every((each) => each.x_wins !== null);
  const rows = found.layers.map((each) => ({ name: String(each.ply), parts: known ? [each.x_wins, 0, each.o_wins] : [each.records] }));
  fill(element,
    card(found.path, facts([["Game", found.rules], ["Boards", `${counted(total)} terminal wins, one of each set of symmetric ones`], ["Plies", `${found.layers[0]?.ply} to ${found.layers.at(-1)?.ply}`]]),
      found.remark ? h("p", { class: "muted small" }, found.remark) : null,
      bars({ title: "Terminal wins by ply", rows, below: "ply", beside: "boards" }), known ? legend(["k1", "X wins"], ["k3", "O wins"]) : null,
      h("details", {}, h("summary", {}, "As a table"), table(["Ply", "Records", "X wins", "O wins"], found.layers.map((each) => [String(each.ply), each.records, each.x_wins ?? "", each.o_wins ?? ""]), "Terminal wins by ply as a table"))),
    gallery(file, found), contains(file, found), search(file, found));
}

export function boards(list, rules) {
  return h("div", { class: "gallery" }, list.map((each) => h("figure", {},
    h("a", { href: link("board", { game: rules, start: each.board, x: "you", o: "you" }), "aria-label": `Look at ${each.board} on the board` }, drawing(each.svg, "board-svg")),
    h("figcaption", {}, `#${counted(each.number ?? each.record)}, ${each.winner} wins`))));
}

function gallery(file, found) {
  const layers = found.layers.filter((each) => each.records);
  let ply = layers[0]?.ply, first = 0, total = 0;
  const place = h("div", { "data-testid": "gallery" });
  const words = h("span", { class: "muted number", role: "status" });
  const back = h("button", { onclick: () => turn(-PAGE) }, "Back"), on = h("button", { onclick: () => turn(PAGE) }, "Forward");
  const jump = h("input", { type: "number", min: 0, value: 0, onchange: () => { first = Math.max(0, Number(jump.value) || 0); show(); } });
  const turn = (by) => { first = Math.max(0, Math.min(first + by, Math.max(0, total - 1))); show(); };
  async function show() {
    try {
      const page = await get("/files/terminals/boards", { file: file.path, ply, first, count: PAGE });
      total = page.total;
      words.textContent = `${counted(first)} to ${counted(Math.min(first + PAGE, total) - 1)} of ${counted(total)}`;
      back.disabled = first === 0;
      on.disabled = first + PAGE >= total;
      jump.value = first;
      fill(place, boards(page.boards, found.rules));
    } catch (error) {
      fill(place, h("p", { class: "error" }, error.message));
    }
  }
  const plies = select(layers.map((each) => [String(each.ply), `Ply ${each.ply}`]), String(ply), (value) => { ply = Number(value); first = 0; show(); });
  show();
  return card("Gallery", h("div", { class: "row spread" }, h("div", { class: "row" }, field("Layer", plies), field("From board", jump)), h("div", { class: "row" }, words, back, on)), place);
}

function contains(file, found) {
  const answer = h("p", { role: "status" });
  const input = h("input", { type: "text", class: "mono", spellcheck: false, placeholder: "XXX/OO./..." });
  const look = async (event) => {
    event.preventDefault();
    try {
      const { found: there, answer: words } = await get("/files/terminals/contains", { file: file.path, board: input.value });
      fill(answer, h("span", { class: there ? "chip win" : "chip loss" }, there ? "yes" : "no"), ` ${words.replace(/^(yes|no): /, "")}`);
    } catch (error) {
      fill(answer, h("span", { class: "error" }, error.message));
    }
  };
  return card("Is a board there?", h("form", { class: "stack tight", onsubmit: look }, field(`A board of ${found.rules}, turned or mirrored in any way`, input), h("div", {}, h("button", { type: "submit" }, "Look"))), answer);
}

function search(file, found) {
  const pattern = h("input", { type: "text", class: "mono", spellcheck: false, placeholder: "X?./???/..O" });
  const winner = select([["", "anybody"], ["X", "X"], ["O", "O"]], "", null);
  const progress = h("div", {}), result = h("div", {});
  const run = (event) => {
    event.preventDefault();
    fill(result);
    runJob(progress, "find", { file: file.path, pattern: pattern.value, winner: winner.value }).done.then((got) => {
      fill(result, h("div", { class: "stack" }, h("p", { role: "status" }, `${counted(got.matches)} of ${plural(got.records, "board")} ${got.matches === 1 ? "matches" : "match"}${got.matches > got.boards.length ? `; the first ${got.boards.length}` : ""}.`), boards(got.boards, found.rules)));
    }, () => {});
  };
  return card("Search by pattern", h("form", { class: "stack tight", onsubmit: run }, h("div", { class: "fields wide" }, field("Pattern: X, O, . for empty, ? for any", pattern), field("Won by", winner)), h("div", {}, h("button", { type: "submit" }, "Search"))), progress, result);
}
