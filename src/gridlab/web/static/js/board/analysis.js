// What is known of the position: exact, or an opinion, and how to find out more.

import { fill, h } from "../dom.js";
import { runJob } from "../job-card.js";
import { doingWords } from "./status.js";
import { bounds, opinionWords, valueWords } from "./words.js";

const SECONDS = 300;

export class Analysis {
  // found(node, values) is called whenever a long search knows more.
  constructor({ found, lines }) {
    Object.assign(this, { found, lines, work: null, node: null, shown: null });
    this.body = h("div", { class: "stack tight known" });
    this.place = h("div", {});
    this.element = h("section", { class: "card", "aria-label": "Analysis" }, h("h2", {}, "What is known"), this.body, this.place);
  }

  // Shows a node; drawn anew only if there is something new to say.
  show(game, node, doing) {
    if (node !== this.node) this.stop();
    const { position, values, opinion } = node;
    const waits = values || position.over ? "" : doingWords(doing) || "looking it up";
    const key = [node, values, opinion, waits, this.work];
    if (this.shown && key.every((each, number) => each === this.shown[number])) return;
    this.shown = key;
    this.node = node;
    if (position.over) fill(this.body, h("p", {}, "The game is over."));
    else if (!values) fill(this.body, h("p", { class: "muted" }, `${waits[0].toUpperCase()}${waits.slice(1)} …`));
    else if (values.exact) fill(this.body, this.exact(game, node));
    else fill(this.body, this.offer(game, node));
  }

  exact(game, { position, values }) {
    return [
      h("p", {}, h("span", { class: `chip ${values.value}` }, values.label), ` ${position.to_move} is to move and ${valueWords(values.value, values.distance)}.`),
      this.best(game, position, values),
      h("p", { class: "muted small" }, `Exact, from ${sourceWords(values.source)}.`),
    ];
  }

  // The best line; where the table ends, the rest comes a little later.
  best(game, position, values) {
    const words = (moves) => `${moves.join(" ")}${moves.length < (values.distance ?? 0) ? " …" : ""}`;
    const line = h("span", { class: "number" }, words(values.line));
    if (values.line.length < (values.distance ?? 0)) this.lines.rest(game, position.board).then((moves) => { line.textContent = words(moves); }, () => {});
    return values.line.length ? h("p", { class: "small" }, h("span", { class: "muted" }, "Best line: "), line) : null;
  }

  offer(game, { position, values, opinion }) {
    const known = values.moves.filter((each) => each.value !== "unknown").length;
    const some = known ? `${known} of ${values.moves.length} moves are known exactly; the position: ${bounds(values)}.` : `Too expensive to know at once: ${bounds(values)}.`;
    return [
      h("p", {}, h("span", { class: "chip" }, "?"), ` ${some}`),
      opinion ? h("p", { class: "small" }, h("em", {}, `An opinion, not the truth: ${position.to_move} ${opinionWords(opinion.value)} `), h("span", { class: "muted" }, `on a scale from −1 (loss) to +1 (win), best ${opinion.best}; by ${opinion.by}.`)) : null,
      this.work ? null : h("button", { onclick: () => this.search(game) }, known ? "Go on finding out" : "Find out exactly"),
    ];
  }

  // A long search; each move is shown as it is known, and stays when the search is stopped.
  search(game) {
    const { node } = this;
    const end = (values) => {
      if (this.work !== work) return;
      this.work = null;
      this.found(node, values);
    };
    const work = (this.work = runJob(this.place, "solve", { game, board: node.position.board, seconds: SECONDS }, ({ state, partial }) => {
      if (state === "cancelled") end(node.values);
      else if (partial && this.work === work) this.found(node, partial);
    }));
    work.done.then((values) => {
      end(values);
      if (!values.exact) fill(this.place, h("p", { class: "muted small" }, `Not all within ${SECONDS} seconds. It can go on from here; the command line has no such limit: `, h("code", {}, `gridlab solve ${game} ${node.position.board}`)));
    }, () => end(node.values));
    this.found(node, node.values);
  }

  stop() {
    this.work?.cancel();
    this.work = null;
    fill(this.place);
  }
}

function sourceWords(source) {
  return source.endsWith(".tb") ? `the tablebase ${source}` : `a complete search (${source})`;
}
