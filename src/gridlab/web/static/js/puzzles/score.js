// How a visitor does: which puzzles of an exam were solved, the streak, and where to go on; the browser remembers it.

import { preference, prefer } from "../prefs.js";

const RIGHT = "+", WRONG = "-", OPEN = ".";
const NEW = { streak: 0, best: 0, levels: {} };

export class Score {
  constructor(exam) {
    this.exam = exam;
    const known = preference("puzzles", {})[exam] ?? {};
    this.known = { ...NEW, ...known, levels: { ...known.levels } };
  }

  // The first try counts; "" if there was none, else how it went.
  tried(level, number) {
    const sign = (this.known.levels[level] ?? "")[number - 1] ?? OPEN;
    return sign === OPEN ? "" : sign === RIGHT ? "right" : "wrong";
  }

  // Whether this answer counts: only the first to a puzzle does.
  count(level, number, right) {
    if (this.tried(level, number)) return false;
    const signs = [...(this.known.levels[level] ?? "").padEnd(number, OPEN)];
    signs[number - 1] = right ? RIGHT : WRONG;
    this.known.levels[level] = signs.join("");
    this.known.streak = right ? this.known.streak + 1 : 0;
    this.known.best = Math.max(this.known.best, this.known.streak);
    this.keep();
    return true;
  }

  get totals() {
    const signs = Object.values(this.known.levels).join("");
    const amount = (sign) => signs.split(sign).length - 1;
    return { streak: this.known.streak, best: this.known.best, solved: amount(RIGHT), tried: amount(RIGHT) + amount(WRONG) };
  }

  // The next puzzle that was not tried, from the start again after the last; the next one if all were.
  next(level, number, of) {
    const around = Array.from({ length: of }, (_, step) => ((number + step) % of) + 1);
    return around.find((each) => !this.tried(level, each)) ?? around[0];
  }

  reset() {
    this.known = { ...NEW, levels: {} };
    this.keep();
  }

  keep() {
    prefer("puzzles", { ...preference("puzzles", {}), [this.exam]: this.known });
  }
}
