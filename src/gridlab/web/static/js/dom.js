// Elements from a few words: h("button", { class: "primary", onclick: go }, "Go").

export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function s(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.flat());
  return element;
}

// A drawing that the server has made, as an element of this page.
export function drawing(text, kind) {
  const element = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  element.setAttribute("class", kind);
  element.removeAttribute("width");
  element.removeAttribute("height");
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function field(name, control, help) {
  return h("label", { class: "field" }, h("span", {}, name), control, help ? h("small", { class: "help" }, help) : null);
}

export function select(options, chosen, onchange, attributes = {}) {
  const element = h("select", { ...attributes, onchange: () => onchange?.(element.value) });
  for (const [value, text, disabled] of options) element.append(h("option", { value, disabled }, text));
  element.value = chosen;
  return element;
}

export function number(value, low, high, onchange, attributes = {}) {
  const element = h("input", { type: "number", min: low, max: high, value, ...attributes, onchange: () => onchange?.(Number(element.value)) });
  return element;
}

// Say something to those who listen instead of look.
export function announce(text) {
  document.getElementById("live").textContent = text;
}

export function toast(text, bad = false) {
  const element = h("div", { class: bad ? "toast bad" : "toast" }, text);
  document.getElementById("toasts").append(element);
  setTimeout(() => element.remove(), bad ? 7000 : 3500);
}

export const counted = (amount) => Math.round(amount).toLocaleString("en");
export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
export const plural = (amount, one, many = `${one}s`) => `${counted(amount)} ${amount === 1 ? one : many}`;
