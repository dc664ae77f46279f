// A card of the details.

import { h } from "../dom.js";

export function card(title, ...children) {
  return h("section", { class: "card", "aria-label": title }, h("h2", {}, title), h("div", { class: "stack" }, children));
}

export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
