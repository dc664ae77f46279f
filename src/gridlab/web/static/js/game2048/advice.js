// The four directions at the board: buttons, and on them what each is worth, as a player sees it.

import { fill, h } from "../dom.js";

export const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" };
const ALL = ["left", "up", "down", "right"];

// Exact values are close to each other: all their digits that matter.
function digits({ exact, target, points }, value) {
  if (exact) return target === "score" ? 3 : 6;
  return points || Math.abs(value) >= 1000 ? 0 : 1;
}

export function worth(found, value) {
  const most = digits(found, value);
  return value.toLocaleString("en", { minimumFractionDigits: found.exact ? most : 0, maximumFractionDigits: most });
}

export function lossText(found, loss) {
  const text = worth(found, loss);
  return /[1-9]/.test(text) ? `−${text}` : "−0";
}

function explained({ exact, target, points, player }) {
  if (exact) return `Exact: ${target === "score" ? "points to come" : `the chance of a ${target}`} with perfect play, from a solved board.`;
  return points ? `Points still to come, as ${player} expects them.` : `An opinion of ${player}, on its own scale.`;
}

// A bar is as long as its value, from zero; values below zero have none.
function share(values, value) {
  const given = Object.values(values);
  const high = Math.max(...given);
  return Math.min(...given) < 0 || high <= 0 ? 0 : (100 * value) / high;
}

function words(found, direction) {
  const value = found?.values[direction];
  if (value === undefined) return ["", ""];
  const loss = found.values[found.best] - value;
  return [worth(found, value), direction === found.best ? "best" : loss ? lossText(found, loss) : "as good"];
}

export class Directions {
  constructor(press) {
    this.buttons = ALL.map((direction) => {
      const [worthText, loss, bar] = [h("span", { class: "worth" }), h("span", { class: "loss" }), h("i", {})];
      const button = h("button", { class: `direction ${direction}`, onclick: () => press(direction) },
        h("span", { class: "arrow", "aria-hidden": "true" }, ARROWS[direction]), h("span", { class: "name" }, direction),
        worthText, loss, h("span", { class: "bar", "aria-hidden": "true" }, bar));
      return { direction, button, worthText, loss, bar };
    });
    this.word = ""; // what is more urgent than advice
    this.remark = h("p", { class: "remark muted small", role: "status" });
    this.element = h("div", { class: "directions" }, h("div", { class: "pad", role: "group", "aria-label": "Directions" }, this.buttons.map((each) => each.button)), this.remark);
  }

  // What is known of this state, and how much of it the visitor wants to see: all values, the best direction, nothing.
  show({ state, advice, values, hint }) {
    const found = advice?.found;
    for (const { direction, button, worthText, loss, bar } of this.buttons) {
      const [value, beside] = values ? words(found, direction) : ["", ""];
      const best = (values || hint) && found?.best === direction;
      button.classList.toggle("is-best", Boolean(best));
      button.classList.toggle("is-idle", Boolean(state && !state.moves.includes(direction)));
      button.setAttribute("aria-label", [direction, value, beside || (best ? "best" : "")].filter(Boolean).join(", "));
      worthText.textContent = value;
      loss.textContent = beside || (best ? "best" : "");
      bar.style.width = `${value ? share(found.values, found.values[direction]) : 0}%`;
    }
    this.element.classList.toggle("valued", Boolean(values));
    fill(this.remark, this.word || this.said({ state, advice, values, hint }));
  }

  said({ state, advice, values, hint }) {
    if (!state || state.over || !(values || hint)) return "";
    if (advice?.error) return h("span", { class: "error" }, advice.error);
    if (!advice?.found) return h("span", { class: "soon" }, advice?.doing ? `${advice.player.split(" ")[0]}: ${advice.doing} …` : "asking the adviser …");
    if (values) return explained(advice.found);
    return `${advice.player.split(" ")[0]} would go ${advice.found.best} ${ARROWS[advice.found.best]}`;
  }
}
