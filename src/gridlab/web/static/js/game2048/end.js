// The end of a game: its score on the board, and the moves that gave away the most, each with its board.

import { stream } from "../api.js";
import { counted, fill, h, plural } from "../dom.js";
import { ARROWS, lossText } from "./advice.js";
import { boardInWords, picture } from "./tiles.js";

// What lies over the board when no move is left.
export function endScreen({ score, best, isBest, begin, undo }) {
  return h("div", { class: "end" }, h("div", { class: "end-card", role: "group", "aria-label": "Game over" },
    h("p", { class: "end-name" }, "Game over"),
    h("p", { class: "end-score" }, plural(score, "point")),
    h("p", {}, isBest ? "Your best so far" : best ? `Best: ${counted(best)}` : ""),
    h("div", { class: "toolbar" }, h("button", { class: "primary", onclick: begin }, "New game"), h("button", { onclick: undo }, "Undo"))));
}

export class Review {
  // goTo(ply) shows the board before a move.
  constructor({ goTo }) {
    Object.assign(this, { goTo, asking: null, of: "" });
    this.element = h("section", { class: "review", "aria-label": "Worst moves", hidden: true });
  }

  // Look at a game: { key, game, seed, moves, player }. One that was looked at already is shown as it is.
  async see({ key, ...asked }) {
    this.element.hidden = false;
    if (this.of === key) return;
    this.asking?.abort();
    this.of = key;
    const asking = new AbortController();
    this.asking = asking;
    this.say("Looking for the worst moves …");
    try {
      await stream("/2048/review", asked, (part) => this.hear(part, asking), asking.signal);
    } catch (error) {
      if (!asking.signal.aborted) this.fail(error);
    }
  }

  hide() {
    this.asking?.abort();
    this.of = "";
    this.element.hidden = true;
  }

  hear(part, asking) {
    if (asking.signal.aborted) return;
    if (part.part === "review") this.show(part);
    else this.say(part.total ? `Looking for the worst moves: ${counted(part.done)} of ${plural(part.total, "move")} …` : `${part.doing} …`, part);
  }

  say(text, { done, total } = {}) {
    fill(this.element, h("p", { class: "muted small", role: "status" }, text), total ? h("progress", { value: done, max: total, "aria-label": "Moves looked at" }) : null);
  }

  fail(error) {
    this.of = "";
    fill(this.element, h("p", { class: "error" }, `The worst moves are not known: ${error.message}.`));
  }

  show(found) {
    const heading = h("h2", {}, found.worst.length ? "Worst moves" : "No move gave anything away");
    fill(this.element, heading, h("p", { class: "muted small" }, looked(found)),
      h("ol", { class: "worst" }, found.worst.map((each) => this.entry(found, each))));
  }

  entry(found, { ply, state, played, best, loss }) {
    const said = `Move ${counted(ply + 1)}: ${played} ${ARROWS[played]} was played, ${best} ${ARROWS[best]} is better`;
    return h("li", {}, h("button", { class: "worst-move", onclick: () => this.goTo(ply), "aria-label": `Go to move ${counted(ply + 1)}` },
      h("span", { class: "small-board", role: "img", "aria-label": boardInWords(state.board) }, picture(state)),
      h("span", { class: "worst-words" }, h("span", {}, said), h("strong", { class: "number" }, `${lossText(found, loss)}${unit(found)}`))));
  }
}

const unit = ({ exact, target, points }) => (exact && target !== "score" ? ` of the chance of a ${target}` : points ? " points" : " on its scale");

function looked({ player, exact, decisions, looked_at: seen, kept }) {
  const who = exact ? "Exact, from the solved board" : `The opinion of ${player}`;
  const which = seen < decisions ? `${counted(seen)} of ${plural(decisions, "decision")}, evenly spread, were looked at` : `all ${plural(decisions, "decision")} were looked at`;
  return `${who}: ${which}, and ${counted(kept)} kept the value.`;
}
