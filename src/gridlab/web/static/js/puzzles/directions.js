// The directions of 2048 as answers, and afterwards what each of them is worth.

import { fill, h } from "../dom.js";
import { ARROWS, digitsOf, points } from "./words.js";

const ALL = ["left", "up", "down", "right"];

// `press(direction)` is called for a click.
export class Directions {
  constructor(press) {
    this.press = press;
    this.element = h("div", { class: "answers", role: "group", "aria-label": "Directions" });
    this.worths = h("div", {});
  }

  // The legal directions; null where the puzzle is of another game.
  ask(legal) {
    this.worths.hidden = true;
    this.element.hidden = legal === null;
    if (legal) fill(this.element, ALL.map((each) => h("button", {
      type: "button", class: "answer", "data-move": each, disabled: !legal.includes(each), title: legal.includes(each) ? null : "This direction changes nothing", onclick: () => this.press(each),
    }, h("span", { class: "arrow", "aria-hidden": "true" }, ARROWS[each]), each)));
  }

  tell({ move, moves }) {
    const digits = digitsOf(moves);
    const high = Math.max(...moves.map((each) => each.points));
    const sorted = moves.toSorted((one, other) => other.points - one.points);
    const rows = sorted.map((each) => {
      const bar = h("i", {});
      bar.style.width = `${high ? (100 * each.points) / high : 0}%`;
      return h("tr", { class: each.right ? "right" : "", "data-move": each.move },
        h("th", { scope: "row" }, `${ARROWS[each.move]} ${each.move}${each.move === move ? " · yours" : ""}`),
        h("td", { class: "share" }, h("span", { class: "bar", "aria-hidden": "true" }, bar)),
        h("td", {}, points(each.points, digits)),
        h("td", {}, each.right ? "best" : `−${points(each.lost, digits)}`));
    });
    const column = (name, ...inside) => h("th", { scope: "col", class: name }, ...inside);
    const head = [column("", "Direction"), column("share", h("span", { class: "visually-hidden" }, "Share")), column("", "Points to come"), column("", "Given away")];
    this.element.hidden = true;
    this.worths.hidden = false;
    fill(this.worths, h("table", { class: "worths" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
  }
}
