// A player and its settings, from the kinds that the server lists.

import { field, fill, h, select } from "./dom.js";
import { get } from "./api.js";

const MAIN = ["depth", "playouts", "expansions"]; // settings that are shown at once
const known = new Map(); // by game

export function kindsOf(game) {
  if (!known.has(game)) {
    const asked = get("/players", { game });
    known.set(game, asked);
    asked.catch(() => known.delete(game));
  }
  return known.get(game);
}

const quoted = (value) => (/[\s"']/.test(value) ? `"${value.replaceAll('"', "")}"` : value);

function read(text) {
  const words = text.match(/(?:[^\s"]+|"[^"]*")+/g) ?? [];
  const settings = {};
  for (const word of words.slice(1)) {
    const at = word.indexOf("=");
    if (at > 0) settings[word.slice(0, at)] = word.slice(at + 1).replaceAll('"', "");
  }
  return { name: words[0] ?? "", settings };
}

// In a few words why one cannot play; the whole reason is told to those who point at it.
function why(reason) {
  return /needs a (network|table)/.exec(reason)?.[0] ?? "not for this game";
}

// `choose(text)` hears of every change; "" is a person, where one may play.
export function playerPicker({ name, game, chosen, choose, person = false }) {
  const now = read(chosen);
  const more = h("div", { class: "stack tight" });
  const list = select([[now.name, now.name || "You"]], now.name, (value) => {
    now.name = value;
    now.settings = {};
    showSettings();
    tell();
  });
  const element = h("div", { class: "stack tight player" }, field(name, list), more);
  let kinds = [];

  const tell = () => {
    const words = Object.entries(now.settings).filter(([, value]) => value !== "").map(([key, value]) => `${key}=${quoted(String(value))}`);
    choose([now.name, ...words].join(" ").trim());
  };

  function showSettings() {
    const kind = kinds.find((each) => each.name === now.name);
    if (!kind) {
      fill(more);
      return;
    }
    const fields = kind.settings.filter((each) => each.name !== "errs").map((each) => setting(each));
    const skill = kind.settings.some((each) => each.name === "errs") ? [strength()] : [];
    const first = fields.filter((each) => MAIN.includes(each.name)).map((each) => each.element);
    const rest = fields.filter((each) => !MAIN.includes(each.name)).map((each) => each.element);
    fill(
      more,
      h("p", { class: "help" }, `${kind.about[0].toUpperCase()}${kind.about.slice(1)}.`),
      ...skill,
      first.length ? h("div", { class: "fields" }, first) : null,
      rest.length ? h("details", {}, h("summary", { class: "small" }, "More settings"), h("div", { class: "fields" }, rest)) : null,
    );
  }

  function setting({ name: key, default: otherwise, kind }) {
    const input = h("input", {
      type: kind === "text" ? "text" : "number", step: kind === "real" ? "any" : "1", value: now.settings[key] ?? "", placeholder: otherwise === "" ? "its own" : String(otherwise),
      onchange: () => { now.settings[key] = input.value; tell(); },
    });
    return { name: key, element: field(key, input) };
  }

  // From giving the value away whenever it can, on the left, to never.
  function strength() {
    const words = h("span", {}, "");
    const errs = () => 100 - input.value;
    const input = h("input", {
      type: "range", min: 0, max: 100, step: 5, value: 100 - Math.round(100 * Number(now.settings.errs ?? 0)),
      oninput: () => show(), onchange: () => { now.settings.errs = errs() ? String(errs() / 100) : ""; tell(); },
    });
    const show = () => {
      words.textContent = errs() ? `gives the value away on ${errs()} % of its moves` : "never errs";
      input.setAttribute("aria-valuetext", words.textContent);
    };
    show();
    return h("label", { class: "field" }, h("span", {}, "Strength: ", words), input);
  }

  kindsOf(game).then((found) => {
    kinds = found;
    const options = [
      ...(person ? [["", "You"]] : []),
      ...found.map((each) => [each.name, each.reason ? `${each.name} (${why(each.reason)})` : each.name, Boolean(each.reason), each.reason]),
    ];
    if (!options.some(([value]) => value === now.name)) options.push([now.name, now.name]); // of a record: somebody else's
    list.replaceChildren(...options.map(([value, text, disabled, title]) => h("option", { value, disabled, title: title || null }, text)));
    list.value = now.name;
    showSettings();
  }, (error) => fill(more, h("p", { class: "error" }, error.message)));
  return element;
}
