// Figures drawn with nothing but SVG and a canvas. Each says in words what it shows.
const SVG = "http://www.w3.org/2000/svg";
const LEFT = 52, RIGHT = 8, TOP = 8, BOTTOM = 24;

export function number(value) {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value) && Math.abs(value) >= 1000) return value.toLocaleString("en");
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

// A count of any length, given as digits: all of them below a thousand million, then two and the power of ten.
export function count(digits) {
  if (digits.length < 10) return Number(digits).toLocaleString("en");
  let power = digits.length - 1, lead = String(Number((Number(digits.slice(0, 4)) / 1000).toPrecision(2)));
  if (lead === "10") [lead, power] = ["1", power + 1];
  return (lead === "1" ? "10" : `${lead}·10`) + [...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
}

function make(parent, name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function canvasOf(host, height, label) {
  const width = Math.max(200, host.clientWidth);
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ width, height, role: "img", "aria-label": label })) svg.setAttribute(key, value);
  host.replaceChildren(svg);
  return [svg, width];
}

function ticks(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((each) => each * power >= raw);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + 1e-9 * step; at += step) found.push(Math.abs(at) < 1e-9 * step ? 0 : at);
  return found;
}

// points: [{x, y, low, high}]; a line through y with a band from low to high.
export function lineChart(host, points, label) {
  const height = 220, [svg, width] = canvasOf(host, height, label);
  if (!points.length) { make(svg, "text", { x: LEFT, y: height / 2 }, "Nothing to show yet."); return; }
  let low = Math.min(...points.map((p) => p.low)), high = Math.max(...points.map((p) => p.high));
  if (high - low < 1e-12) { low -= 0.5; high += 0.5; }
  const first = points[0].x, last = Math.max(points[points.length - 1].x, first + 1);
  const x = (value) => LEFT + (width - LEFT - RIGHT) * (value - first) / (last - first);
  const y = (value) => TOP + (height - TOP - BOTTOM) * (high - value) / (high - low);
  for (const tick of ticks(low, high, 4)) {
    make(svg, "line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick) });
    make(svg, "text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, number(tick));
  }
  for (const [value, anchor] of [[first, "start"], [last, "end"]]) make(svg, "text", { x: x(value), y: height - 6, "text-anchor": anchor }, number(value));
  make(svg, "text", { x: (LEFT + width) / 2, y: height - 6, "text-anchor": "middle" }, "decisions");
  const there = points.map((p) => `${x(p.x)},${y(p.high)}`), back = points.map((p) => `${x(p.x)},${y(p.low)}`).reverse();
  make(svg, "polygon", { class: "band", points: [...there, ...back].join(" ") });
  make(svg, "polyline", { class: "line", points: points.map((p) => `${x(p.x)},${y(p.y)}`).join(" ") });
}

// rows: one for each stretch of time, with a number from 0 to 1 for each element.
export function heatMap(host, rows, labels, label) {
  const width = Math.max(200, host.clientWidth), side = Math.min(120, width / 4), line = labels.length > 40 ? 4 : 14;
  const canvas = document.createElement("canvas"), scale = window.devicePixelRatio || 1, height = line * labels.length + 20;
  canvas.width = width * scale; canvas.height = height * scale;
  canvas.style.width = `${width}px`; canvas.style.height = `${height}px`;
  canvas.setAttribute("role", "img"); canvas.setAttribute("aria-label", label);
  host.replaceChildren(canvas);
  const pen = canvas.getContext("2d"), style = getComputedStyle(document.body);
  pen.scale(scale, scale);
  const cell = (width - side) / Math.max(1, rows.length);
  pen.fillStyle = style.getPropertyValue("--main");
  rows.forEach((row, i) => row.forEach((value, j) => {
    pen.globalAlpha = Math.min(1, Math.max(0, value));
    const from = Math.round(side + i * cell);
    pen.fillRect(from, j * line, Math.round(side + (i + 1) * cell) - from, line - 1);
  }));
  pen.globalAlpha = 1; pen.fillStyle = style.getPropertyValue("--soft"); pen.font = "12px system-ui, sans-serif";
  const every = Math.ceil(14 / line);
  labels.forEach((text, j) => { if (j % every === 0) pen.fillText(text, 0, j * line + 11, side - 6); });
  pen.fillText("first decisions", side, height - 4);
  pen.textAlign = "right"; pen.fillText("latest", width, height - 4);
}

export function bars(host, shares, names, label) {
  const line = 18, height = line * shares.length + 4, [svg, width] = canvasOf(host, Math.max(40, height), label);
  shares.forEach((share, i) => {
    make(svg, "text", { x: 0, y: i * line + 13 }, names[i]);
    make(svg, "rect", { class: "bar", x: 104, y: i * line + 3, height: line - 6, width: Math.max(1, (width - 164) * share) });
    make(svg, "text", { x: 108 + (width - 164) * share, y: i * line + 13 }, number(share));
  });
}
