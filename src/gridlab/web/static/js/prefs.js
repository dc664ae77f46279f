// What a visitor prefers, remembered by the browser; without storage it is remembered until the page is left.

const KEY = "gridlab";
let known = {};
try {
  known = JSON.parse(localStorage.getItem(KEY) ?? "{}") ?? {};
} catch {
  known = {};
}

export function preference(name, otherwise) {
  return known[name] ?? otherwise;
}

export function prefer(name, value) {
  known[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(known));
  } catch {
    // a browser that stores nothing
  }
}
