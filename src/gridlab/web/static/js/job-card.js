// Long work on the page: a bar, what is being done, and a way to stop it.

import { job } from "./api.js";
import { announce, counted, fill, h } from "./dom.js";

// Runs a job inside `element`; `seen` hears of its state, the promise gives its result.
export function runJob(element, kind, body, seen) {
  const bar = h("progress", { max: 1, "aria-label": "Progress" });
  const words = h("span", { class: "muted small number" }, "Waiting for a free place …");
  const work = job(kind, body, (state) => {
    if (state.total) bar.value = Math.min(1, state.done / state.total);
    const far = state.total ? `${counted(state.done)} of ${counted(state.total)}` : "";
    words.textContent = state.state === "waiting" ? "Waiting for a free place …" : [state.doing, far].filter(Boolean).join(", ") || "Working …";
    seen?.(state);
  });
  const stop = h("button", { onclick: () => { work.cancel(); fill(element, h("p", { class: "muted" }, "Cancelled.")); announce("Cancelled"); seen?.({ state: "cancelled" }); } }, "Cancel");
  fill(element, h("div", { class: "stack tight job" }, bar, h("div", { class: "row spread" }, words, stop)));
  const done = work.done.then(
    (result) => { fill(element); return result; },
    (error) => { if (error.message !== "cancelled") fill(element, h("p", { class: "error", role: "alert" }, error.message)); throw error; },
  );
  return { done, cancel: work.cancel };
}
