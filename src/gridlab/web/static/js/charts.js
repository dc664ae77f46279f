// Charts as SVG: bars, lines with bands, points with whiskers. Each is told in words and as a table, too.

import { counted, h, s } from "./dom.js";

const H = 220, LEFT = 52, RIGHT = 14, TOP = 12, BOTTOM = 34;
const ROW = 26; // the height of a row of ranges
const LETTER = 6.2; // the width of one, about
const FEW = 40; // points that are drawn as dots, too

// How wide a chart is drawn: letters must stay legible on a phone.
const onPhone = () => matchMedia("(max-width: 40rem)").matches;
const width = () => (onPhone() ? 350 : 560);

function ticks(low, high, wanted = 5) {
  const span = high - low || 1;
  const rough = span / wanted;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * unit).find((each) => each >= rough);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step / 1e6; at++) found.push(at * step);
  return found;
}

// The numbers of an axis, with as many digits as tell them apart: 0.05, 0.10; 12.5k, 13.0k.
function scale(numbers) {
  const size = Math.max(...numbers.map(Math.abs));
  const [unit, letter] = [[1e9, "G"], [1e6, "M"], [1e4, "k"]].find(([from]) => size >= from) ?? [1, ""];
  const by = unit === 1e4 ? 1e3 : unit;
  const step = numbers.length > 1 ? numbers[1] - numbers[0] : size || 1;
  const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step / by) - 1e-9)));
  return (value) => (value === 0 ? "0" : `${(value / by).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })}${letter}`);
}

// Low and high that differ, with some air, if they are not given.
function range(values, low, high) {
  const [least, most] = [low ?? Math.min(...values), high ?? Math.max(...values)];
  const air = most > least ? 0 : Math.abs(most) / 10 || 1;
  return [low ?? least - air, high ?? most + air];
}

function frame(title, low, high, format, beside, whole = false) {
  const W = width();
  const top = beside ? TOP + 14 : TOP;
  const y = (value) => top + (H - top - BOTTOM) * (1 - (value - low) / (high - low || 1));
  const chart = s("svg", { viewBox: `0 0 ${W} ${H}`, class: "chart", role: "img", "aria-label": title });
  const at = ticks(low, high).filter((each) => !whole || Number.isInteger(each)), say = format ?? scale(at);
  for (const each of at) {
    chart.append(
      s("line", { class: "rule", x1: LEFT, x2: W - RIGHT, y1: y(each), y2: y(each) }),
      s("text", { x: LEFT - 8, y: y(each) + 4, "text-anchor": "end" }, say(each)),
    );
  }
  chart.append(s("line", { class: "axis", x1: LEFT, x2: W - RIGHT, y1: y(low), y2: y(low) }));
  if (beside) chart.append(s("text", { class: "name", x: 4, y: 11 }, beside));
  return { chart, y, W };
}

function bottomLabel(chart, text, W) {
  chart.append(s("text", { class: "name", x: (LEFT + W - RIGHT) / 2, y: H - 3, "text-anchor": "middle" }, text));
}

// rows: [{ name, parts: [numbers] }], parts stacked; classes bar-1, bar-2, bar-3.
export function bars({ title, rows, below, kinds = ["bar-1", "bar-2", "bar-3"], format, beside }) {
  const high = Math.max(1, ...rows.map((row) => row.parts.reduce((sum, part) => sum + part, 0)));
  const { chart, y, W } = frame(title, 0, high, format, beside, true);
  const step = (W - LEFT - RIGHT) / rows.length;
  const every = Math.ceil(rows.length / (W / 35));
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
  bottomLabel(chart, below, W);
  return chart;
}

// lines: [{ points: [[x, y]], kind }], band: [[x, low, high]]; a few points are dots, too.
export function lines({ title, series, band = [], below, beside, low, high, format }) {
  const points = [...series.flatMap((each) => each.points), ...band.flatMap(([x, a, b]) => [[x, a], [x, b]])];
  const [first, last] = range(points.map(([x]) => x));
  const { chart, y, W } = frame(title, ...range(points.map(([, value]) => value), low, high), format, beside);
  const x = (value) => LEFT + ((W - LEFT - RIGHT) * (value - first)) / (last - first);
  const whole = points.every(([at]) => Number.isInteger(at));
  const under = ticks(first, last, W / 90).filter((at) => !whole || Number.isInteger(at)), say = scale(under);
  for (const at of under) {
    chart.append(s("line", { class: "axis", x1: x(at), x2: x(at), y1: H - BOTTOM, y2: H - BOTTOM + 4 }), s("text", { x: x(at), y: H - BOTTOM + 15, "text-anchor": "middle" }, say(at)));
  }
  if (band.length > 1) {
    const upper = band.map(([at, , top]) => `${x(at)},${y(top)}`), lower = band.map(([at, bottom]) => `${x(at)},${y(bottom)}`).reverse();
    chart.append(s("polygon", { class: "band", points: [...upper, ...lower].join(" ") }));
  }
  for (const { points: own, kind = "" } of series) {
    chart.append(s("polyline", { class: `path ${kind}`, points: own.map(([at, value]) => `${x(at)},${y(value)}`).join(" ") }));
    if (own.length <= FEW) chart.append(...own.map(([at, value]) => s("circle", { class: `dot ${kind}`, cx: x(at), cy: y(value), r: 3 })));
  }
  bottomLabel(chart, below, W);
  return chart;
}

// rows: [{ name, value, low, high }]: a dot with its interval.
export function whiskers({ title, rows, below, beside, format, low = 0, high = 1 }) {
  const { chart, y, W } = frame(title, low, high, format, beside);
  const step = (W - LEFT - RIGHT) / rows.length;
  const every = Math.ceil(rows.length / (W / 28));
  rows.forEach((row, number) => {
    const at = LEFT + (number + 0.5) * step;
    chart.append(s("line", { class: "whisker", x1: at, x2: at, y1: y(row.low), y2: y(row.high) }), s("circle", { class: "dot", cx: at, cy: y(row.value), r: 4 }, tip(`${below} ${row.name}`, row, format)));
    if (number % every === 0) chart.append(s("text", { x: at, y: H - BOTTOM + 15, "text-anchor": "middle" }, row.name));
  });
  bottomLabel(chart, below, W);
  return chart;
}

const tip = (name, row, format) => s("title", {}, `${name}: ${format(row.value)}, 95 % ${format(row.low)} to ${format(row.high)}`);

// The same lying, for rows with long names: a name, and its interval to the right of it.
export function ranges({ title, rows, below, format }) {
  const longest = Math.max(...rows.map((row) => row.name.length));
  const W = width(), most = Math.min(longest, onPhone() ? 20 : 38), left = 14 + most * LETTER, height = rows.length * ROW + 44;
  const [low, high] = range(rows.flatMap((row) => [row.low, row.high]));
  const x = (value) => left + ((W - left - RIGHT) * (value - low)) / (high - low);
  const chart = s("svg", { viewBox: `0 0 ${W} ${height}`, class: "chart", role: "img", "aria-label": title });
  for (const at of ticks(low, high, (W - left) / 60)) {
    chart.append(s("line", { class: "rule", x1: x(at), x2: x(at), y1: 4, y2: height - 36 }), s("text", { x: x(at), y: height - 22, "text-anchor": "middle" }, format(at)));
  }
  rows.forEach((row, number) => {
    const y = 4 + (number + 0.5) * ROW;
    const shown = row.name.length > most ? `${row.name.slice(0, most - 1)}…` : row.name;
    chart.append(s("text", { class: "row-name", x: left - 10, y: y + 4, "text-anchor": "end" }, shown, tip(row.name, row, format)),
      s("line", { class: "whisker", x1: x(row.low), x2: x(row.high), y1: y, y2: y }), s("circle", { class: "dot", cx: x(row.value), cy: y, r: 4 }, tip(row.name, row, format)));
  });
  chart.append(s("text", { class: "name", x: (left + W - RIGHT) / 2, y: height - 5, "text-anchor": "middle" }, below));
  return chart;
}

export function legend(...entries) {
  return h("div", { class: "legend" }, entries.map(([kind, text]) => h("span", {}, h("i", { class: kind }), text)));
}

// Columns of words stand to the left, numbers to the right; every column and every table has a name.
export function table(head, rows, name = `Table of ${head.join(", ")}`) {
  const kinds = head.map((_, column) => (rows.every((row) => /^[a-z]|^\d+[ x]\d/i.test(row[column])) ? "words" : null));
  return h("div", { class: "table-wrap", tabindex: 0, role: "region", "aria-label": name },
    h("table", {}, h("thead", {}, h("tr", {}, head.map((each, column) => h("th", { scope: "col", class: kinds[column] }, each)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, column) => h("td", { class: kinds[column] }, typeof cell === "number" ? counted(cell) : cell)))))));
}
