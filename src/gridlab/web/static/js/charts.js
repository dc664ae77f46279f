// Charts as SVG: bars, lines with bands, points with whiskers. Each is told in words and as a table, too.

import { counted, h, s } from "./dom.js";

const W = 560, H = 220, LEFT = 52, RIGHT = 10, TOP = 10, BOTTOM = 30;

function ticks(low, high, wanted = 4) {
  const span = high - low || 1;
  const rough = span / wanted;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * unit).find((each) => each >= rough);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) found.push(at);
  return found;
}

export function short(amount) {
  const size = Math.abs(amount);
  for (const [unit, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= unit) return `${Number((amount / unit).toPrecision(3))}${letter}`;
  }
  return String(Number(amount.toPrecision(3)));
}

function frame(title, low, high, format) {
  const y = (value) => TOP + (H - TOP - BOTTOM) * (1 - (value - low) / (high - low || 1));
  const chart = s("svg", { viewBox: `0 0 ${W} ${H}`, class: "chart", role: "img", "aria-label": title });
  for (const at of ticks(low, high)) {
    chart.append(
      s("line", { class: "rule", x1: LEFT, x2: W - RIGHT, y1: y(at), y2: y(at) }),
      s("text", { x: LEFT - 8, y: y(at) + 4, "text-anchor": "end" }, format(at)),
    );
  }
  chart.append(s("line", { class: "axis", x1: LEFT, x2: W - RIGHT, y1: y(low), y2: y(low) }));
  return { chart, y };
}

function bottomLabel(chart, text) {
  chart.append(s("text", { x: (LEFT + W - RIGHT) / 2, y: H - 2, "text-anchor": "middle" }, text));
}

// rows: [{ name, parts: [numbers] }], parts stacked; classes bar-1, bar-2, bar-3.
export function bars({ title, rows, below, kinds = ["bar-1", "bar-2", "bar-3"], format = short }) {
  const high = Math.max(1, ...rows.map((row) => row.parts.reduce((sum, part) => sum + part, 0)));
  const { chart, y } = frame(title, 0, high, format);
  const step = (W - LEFT - RIGHT) / rows.length;
  const every = Math.ceil(rows.length / 16);
  rows.forEach((row, number) => {
    let base = 0;
    row.parts.forEach((part, kind) => {
      if (part > 0) {
        const tip = s("title", {}, `${row.name}: ${counted(part)}`);
        chart.append(s("rect", { class: kinds[kind], x: LEFT + number * step + step * 0.14, width: step * 0.72, y: y(base + part), height: Math.max(0.8, y(base) - y(base + part)) }, tip));
      }
      base += part;
    });
    if (number % every === 0) chart.append(s("text", { x: LEFT + (number + 0.5) * step, y: H - BOTTOM + 15, "text-anchor": "middle" }, row.name));
  });
  bottomLabel(chart, below);
  return chart;
}

// lines: [{ points: [[x, y]], kind }], band: [[x, low, high]].
export function lines({ title, series, band = [], below, low, high, format = short }) {
  const points = [...series.flatMap((each) => each.points), ...band.flatMap(([x, a, b]) => [[x, a], [x, b]])];
  const xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const { chart, y } = frame(title, low ?? Math.min(...ys), high ?? Math.max(...ys), format);
  const x = (value) => LEFT + (W - LEFT - RIGHT) * (last === first ? 0.5 : (value - first) / (last - first));
  for (const at of ticks(first, last, 6)) {
    if (Number.isInteger(at) || last - first < 2) chart.append(s("text", { x: x(at), y: H - BOTTOM + 15, "text-anchor": "middle" }, short(at)));
  }
  if (band.length > 1) {
    const upper = band.map(([at, , top]) => `${x(at)},${y(top)}`), lower = band.map(([at, bottom]) => `${x(at)},${y(bottom)}`).reverse();
    chart.append(s("polygon", { class: "band", points: [...upper, ...lower].join(" ") }));
  }
  for (const { points: own, kind = "" } of series) {
    chart.append(s("polyline", { class: `path ${kind}`, points: own.map(([at, value]) => `${x(at)},${y(value)}`).join(" ") }));
  }
  bottomLabel(chart, below);
  return chart;
}

// rows: [{ name, value, low, high }]: a dot with its interval.
export function whiskers({ title, rows, below, format, low = 0, high = 1 }) {
  const { chart, y } = frame(title, low, high, format);
  const step = (W - LEFT - RIGHT) / rows.length;
  const every = Math.ceil(rows.length / 20);
  rows.forEach((row, number) => {
    const at = LEFT + (number + 0.5) * step;
    const tip = s("title", {}, `${below} ${row.name}: ${format(row.value)}, 95 % ${format(row.low)} to ${format(row.high)}`);
    chart.append(s("line", { class: "whisker", x1: at, x2: at, y1: y(row.low), y2: y(row.high) }), s("circle", { class: "dot", cx: at, cy: y(row.value), r: 4 }, tip));
    if (number % every === 0) chart.append(s("text", { x: at, y: H - BOTTOM + 15, "text-anchor": "middle" }, row.name));
  });
  bottomLabel(chart, below);
  return chart;
}

export function legend(...entries) {
  return h("div", { class: "legend" }, entries.map(([kind, text]) => h("span", {}, h("i", { class: kind }), text)));
}

// Columns of words stand to the left, numbers to the right.
export function table(head, rows) {
  const kinds = head.map((_, column) => (rows.every((row) => /^[a-z]/i.test(row[column])) ? "words" : null));
  return h("div", { class: "table-wrap", tabindex: 0, role: "region", "aria-label": "Table" },
    h("table", {}, h("thead", {}, h("tr", {}, head.map((each, column) => h("th", { scope: "col", class: kinds[column] }, each)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, column) => h("td", { class: kinds[column] }, typeof cell === "number" ? counted(cell) : cell)))))));
}
