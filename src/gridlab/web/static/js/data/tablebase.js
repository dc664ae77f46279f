// A tablebase: positions by value, ply by ply.

import { get } from "../api.js";
import { bars, legend, table } from "../charts.js";
import { counted, fill, h, plural } from "../dom.js";
import { link } from "../route.js";
import { valueWords } from "../board/words.js";
import { card, facts } from "./card.js";

export async function tablebase(element, file) {
  const found = await get("/files/tablebase", { file: file.path });
  const total = (name) => found.plies.reduce((sum, each) => sum + each[name], 0);
  const rows = found.plies.map((each) => ({ name: String(each.ply), parts: [each.wins, each.draws, each.losses] }));
  const longest = Math.max(...found.plies.map((each) => Math.max(each.longest_win, each.longest_loss)));
  fill(element,
    card(found.path,
      facts([
        ["Game", found.rules], ["Plies", `0 to ${found.max_ply}`], ["Ongoing positions", counted(total("wins") + total("draws") + total("losses"))],
        ["Up to symmetry", counted(total("canonical"))], ["With best play", `the first player ${valueWords(found.openings.value, found.openings.distance)}`], ["Longest win or loss", plural(longest, "ply", "plies")],
      ]),
      h("p", {}, h("a", { class: "button", href: link("board", { game: found.rules, x: "you", o: "you" }) }, "Walk through it on the board"))),
    card("Positions by ply, for the player to move",
      bars({ title: "Positions by ply: wins, draws and losses for the player to move", rows, below: "ply", beside: "positions" }),
      legend(["k1", "wins"], ["k2", "draws"], ["k3", "losses"]),
      h("details", {}, h("summary", {}, "As a table"), table(["Ply", "Wins", "Draws", "Losses", "Up to symmetry", "Longest win", "Longest loss"],
        found.plies.map((each) => [String(each.ply), each.wins, each.draws, each.losses, each.canonical, each.longest_win, each.longest_loss]), "Positions by ply as a table"))));
}
