// What is known of the position: exact, or an opinion, and how to find out more.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { runJob } from "../job-card.js";
import { bounds, opinionWords, valueWords } from "./words.js";

const SECONDS = 60;

export class Analysis {
  // solved(values) is called when a long search has found the truth.
  constructor({ solved, knowledge }) {
    this.solved = solved;
    this.knowledge = knowledge;
    this.body = h("div", { class: "stack tight known" });
    this.element = h("section", { class: "card", "aria-label": "Analysis" }, h("h2", {}, "What is known"), this.body);
    this.work = null;
  }

  wait() {
    this.stop();
    fill(this.body, h("p", { class: "muted" }, "Looking it up …"));
  }

  show(game, position, values, opinion) {
    this.stop();
    if (position.over) {
      fill(this.body, h("p", {}, "The game is over."));
      return;
    }
    if (!values) {
      fill(this.body, h("p", { class: "muted" }, "Nothing, as the position cannot arise."));
      return;
    }
    if (values.exact) {
      fill(this.body,
        h("p", {}, h("span", { class: `chip ${values.value}` }, values.label), ` ${position.to_move} is to move and ${valueWords(values.value, values.distance)}.`),
        this.best(game, position, values),
        h("p", { class: "muted small" }, `Exact, from ${sourceWords(values.source)}.`));
      return;
    }
    this.offer(game, position, values, opinion);
  }

  // The best line; where the table ends, the rest comes a little later.
  best(game, position, values) {
    const words = (moves) => `${moves.join(" ")}${moves.length < (values.distance ?? 0) ? " …" : ""}`;
    const line = h("span", { class: "number" }, words(values.line));
    if (values.line.length < (values.distance ?? 0)) this.knowledge.rest(game, position.board).then((moves) => { line.textContent = words(moves); }, () => {});
    return values.line.length ? h("p", { class: "small" }, h("span", { class: "muted" }, "Best line: "), line) : null;
  }

  offer(game, position, values, opinion) {
    const place = h("div", {});
    const begin = h("button", {
      onclick: () => {
        begin.hidden = true;
        this.work = runJob(place, "solve", { game, board: position.board, seconds: SECONDS });
        this.work.done.then((found) => {
          if (found.exact) this.solved(found);
          else {
            fill(place, h("p", { class: "muted" }, `Not within ${SECONDS} seconds; the command line has more patience: `, h("code", {}, `gridlab solve ${game} ${position.board}`)));
            begin.hidden = false;
          }
        }, () => { begin.hidden = false; });
      },
    }, "Find out exactly");
    fill(this.body,
      h("p", {}, h("span", { class: "chip" }, "?"), ` Too expensive to know at once: ${bounds(values)}.`),
      opinion ? h("p", { class: "small" }, h("em", {}, `An opinion, not the truth: ${position.to_move} ${opinionWords(opinion.value)} `), h("span", { class: "muted" }, `on a scale from −1 (loss) to +1 (win), best ${opinion.best}; by ${opinion.by}.`)) : h("p", { class: "muted small" }, "Asking a search for its opinion …"),
      begin, place);
  }

  stop() {
    this.work?.cancel();
    this.work = null;
  }
}

function sourceWords(source) {
  return source.endsWith(".tb") ? `the tablebase ${source}` : `a complete search (${source})`;
}

export async function askOpinion(game, board, by, signal) {
  return get("/opinion", { game, board, by }, signal);
}
