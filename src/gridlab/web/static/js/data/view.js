// The page of data: what lies in the served folder, and one of it in detail.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { link } from "../route.js";
import { checkpoint } from "./checkpoint.js";
import { games2048 } from "./games2048.js";
import { ntuple } from "./ntuple.js";
import { records } from "./records.js";
import { tablebase } from "./tablebase.js";
import { tablebase2048 } from "./tablebase2048.js";
import { terminals } from "./terminals.js";
import { tournament } from "./tournament.js";

const KINDS = {
  tablebase: ["Tablebases", tablebase],
  tablebase2048: ["Solved boards of 2048", tablebase2048],
  terminals: ["Terminal wins", terminals],
  games2048: ["Games of 2048", games2048],
  tournament: ["Tournaments", tournament],
  records: ["Games between two", records],
  checkpoint: ["Trained networks", checkpoint],
  ntuple: ["Learnt networks of 2048", ntuple],
};

export function view(main, parameters) {
  const chosen = parameters.get("file");
  const files = h("nav", { class: "stack", "aria-label": "Files" }, h("p", { class: "muted" }, "Looking …"));
  const folded = chosen && matchMedia("(max-width: 60rem)").matches; // where the file stands below the list
  const found = folded ? h("details", {}, h("summary", {}, "All files"), files) : files;
  const detail = h("div", { class: "column" });
  let leave = null;
  fill(main, h("div", { class: "page-head" }, h("h1", {}, "Data"), h("p", {}, "Tables, datasets, games, results and networks in the served folder.")),
    h("div", { class: "columns files" }, h("section", { class: "card", "aria-label": "Found" }, found), detail));
  get("/files").then((there) => {
    list(files, there, chosen);
    const file = there.find((each) => each.path === chosen);
    if (file) {
      fill(detail, h("p", { class: "loading" }, "Loading …"));
      Promise.resolve(KINDS[file.kind][1](detail, file, parameters)).then((done) => { leave = done; }, (error) => fill(detail, h("p", { class: "empty" }, error.message)));
    } else if (there.length) {
      fill(detail, h("p", { class: "empty" }, chosen ? `There is no ${chosen} in the served folder.` : "Choose one of them."));
    } else {
      fill(detail, h("div", { class: "empty stack" }, h("p", {}, "There is nothing here yet. These make something:"),
        ["gridlab tablebase build 4x4:3 -o 4x4-3.tb", "gridlab terminals build tictactoe -o wins", "gridlab 2048 generate -g 20 -o games.jsonl"].map((each) => h("p", {}, h("code", {}, each)))));
    }
  }, (error) => fill(files, h("p", { class: "error" }, error.message)));
  return () => leave?.();
}

function list(element, found, chosen) {
  const groups = Object.entries(KINDS).map(([kind, [title]]) => [title, found.filter((each) => each.kind === kind)]);
  fill(element, groups.filter(([, files]) => files.length).map(([title, files]) =>
    h("div", {}, h("h2", { class: "field-name" }, title), h("ul", { class: "list" }, files.map((each) => h("li", {},
      h("a", { href: link("data", { file: each.path }), "aria-current": each.path === chosen ? "true" : null }, h("span", { class: "path" }, each.path), h("span", { class: "muted number" }, size(each.bytes)))))))));
  if (!found.length) fill(element, h("p", { class: "muted" }, "Nothing that the lab can show."));
}

function size(bytes) {
  for (const [unit, name] of [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]) {
    if (bytes >= unit) return `${Number((bytes / unit).toPrecision(3))} ${name}`;
  }
  return `${bytes} B`;
}
