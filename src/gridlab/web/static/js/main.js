// The pages, and which of them is shown.

import { fill, h } from "./dom.js";
import { current } from "./route.js";
import { themeSwitch } from "./theme.js";

const PAGES = {
  board: ["Board", () => import("./board/view.js")],
  2048: ["2048", () => import("./game2048/view.js")],
  puzzles: ["Puzzles", () => import("./puzzles/view.js")],
  arena: ["Arena", () => import("./arena/view.js")],
  data: ["Data", () => import("./data/view.js")],
  about: ["About", () => import("./about/view.js")],
};

const main = document.getElementById("main");
let leave = null; // how the page that is shown lets go of what it holds
let turn = 0;

async function show() {
  const mine = ++turn;
  const { page, parameters } = current();
  const name = page in PAGES ? page : "board";
  for (const each of document.querySelectorAll(".top nav a")) {
    const here = each.getAttribute("href") === `#/${name}`;
    if (here) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  const [title, load] = PAGES[name];
  document.title = `${title} · gridlab`;
  leave?.();
  leave = null;
  try {
    const { view } = await load();
    if (mine !== turn) return;
    main.replaceChildren();
    main.dataset.page = name;
    leave = view(main, parameters) ?? null;
  } catch (error) {
    fill(main, h("p", { class: "empty" }, `This page could not be loaded: ${error.message}. `, h("button", { onclick: show }, "Try again")));
  }
}

themeSwitch(document.getElementById("theme"));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", show);
show();
