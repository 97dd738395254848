// Figures drawn with nothing but SVG and a canvas. Each says in words what it shows.
const SVG = "http://www.w3.org/2000/svg";
const LEFT = 62, RIGHT = 10, TOP = 10, BOTTOM = 40;

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

// A time, to the second or to the day, depending on how long the time is that it stands in.
export function moment(at, span) {
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...(span < 600 ? { second: "2-digit" } : {}) };
  return new Date(1000 * at).toLocaleString("en", span < 86400 ? clock : { month: "short", day: "numeric", ...(span < 40 * 86400 ? clock : { year: "numeric" }) });
}

// times: [[day, when]]; returns when any day was, in between by proportion.
export function clockOf(times) {
  return (day) => {
    const next = times.findIndex((each) => each[0] > day);
    if (!times.length || next === 0) return times[0]?.[1];
    if (next < 0) return times.at(-1)[1];
    const [[a, from], [b, to]] = [times[next - 1], times[next]];
    return from + (to - from) * (day - a) / (b - a);
  };
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

// Three ticks at least, and their texts: as many decimals as tell them apart.
function marked(low, high) {
  let found = [];
  for (let count = 4; found.length < 3; count++) found = ticks(low, high, count);
  const decimals = Math.min(20, Math.max(0, -Math.floor(Math.log10(found[1] - found[0]) + 1e-9)));
  return found.map((at) => [at, decimals ? at.toFixed(decimals) : number(at)]);
}

// lines: [{ name, points: [{ x, y, low, high }] }], a band from low to high where there is one. The axis fits the lines, not their
// bands, which are cut off where they leave it; `early`, the share of the days it leaves out of account. `clock` says when a decision was.
export function lineChart(host, lines, label, clock, early = 0) {
  const height = 240, [svg, width] = canvasOf(host, height, label), all = lines.flatMap((line) => line.points);
  if (!all.length) { make(svg, "text", { x: LEFT, y: height / 2 }, "Nothing to show yet."); return; }
  const first = Math.min(...all.map((p) => p.x)), last = Math.max(...all.map((p) => p.x), first + 1);
  const fitted = all.filter((p) => p.x >= first + early * (last - first)).map((p) => p.y);
  let low = Math.min(...fitted), high = Math.max(...fitted);
  const room = Math.max(0.15 * (high - low), 1e-3 * Math.max(Math.abs(low), Math.abs(high)), 1e-9);
  low -= room; high += room;
  const x = (value) => LEFT + (width - LEFT - RIGHT) * (value - first) / (last - first);
  const y = (value) => TOP + (height - TOP - BOTTOM) * (high - Math.min(high, Math.max(low, value))) / (high - low);
  for (const [tick, text] of marked(low, high)) {
    make(svg, "line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick) });
    make(svg, "text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, text);
  }
  const span = (clock(last) ?? 0) - (clock(first) ?? 0), marks = ticks(first, last, width < 420 ? 2 : 5);
  for (const mark of marks) {
    const anchor = x(mark) < LEFT + 30 ? "start" : x(mark) > width - RIGHT - 30 ? "end" : "middle";
    make(svg, "line", { class: "grid", x1: x(mark), x2: x(mark), y1: height - BOTTOM, y2: height - BOTTOM + 4 });
    make(svg, "text", { x: x(mark), y: height - BOTTOM + 16, "text-anchor": anchor }, number(mark));
    if (clock(mark)) make(svg, "text", { x: x(mark), y: height - BOTTOM + 31, "text-anchor": anchor }, moment(clock(mark), span));
  }
  make(svg, "text", { x: 0, y: height - BOTTOM + 16 }, "decision"); make(svg, "text", { x: 0, y: height - BOTTOM + 31 }, "time");
  lines.forEach(({ points }, place) => {
    const there = points.filter((p) => p.low !== undefined);
    const edge = [...there.map((p) => `${x(p.x)},${y(p.high)}`), ...there.map((p) => `${x(p.x)},${y(p.low)}`).reverse()];
    if (edge.length) make(svg, "polygon", { class: `band of${place}`, points: edge.join(" ") });
    make(svg, "polyline", { class: `line of${place}`, points: points.map((p) => `${x(p.x)},${y(p.y)}`).join(" ") });
  });
  hover(svg, lines, { x, top: TOP, bottom: height - BOTTOM, width, clock, span });
}

// Shows the values nearest to the pointer.
function hover(svg, lines, { x, top, bottom, width, clock, span }) {
  const rule = make(svg, "line", { class: "rule", y1: top, y2: bottom, visibility: "hidden" });
  const told = make(svg, "text", { class: "told", y: top + 4, visibility: "hidden" });
  svg.addEventListener("pointermove", (event) => {
    const at = event.clientX - svg.getBoundingClientRect().left;
    const near = lines.filter((line) => line.points.length).map((line) => [line, line.points.reduce((best, p) => (Math.abs(x(p.x) - at) < Math.abs(x(best.x) - at) ? p : best))]);
    const place = near[0][1].x, right = x(place) > width / 2, when = clock(place);
    for (const [key, value] of Object.entries({ x1: x(place), x2: x(place), visibility: "visible" })) rule.setAttribute(key, value);
    told.replaceChildren();
    const words = [`decision ${number(place)}${when ? `, ${moment(when, span)}` : ""}`];
    for (const [line, p] of near) words.push(`${line.name} ${number(p.y)}${p.low === undefined ? "" : ` (${number(p.low)} to ${number(p.high)})`}`);
    words.forEach((text) => make(told, "tspan", { x: x(place) + (right ? -8 : 8), dy: 14 }, text));
    for (const [key, value] of Object.entries({ "text-anchor": right ? "end" : "start", visibility: "visible" })) told.setAttribute(key, value);
  });
  svg.addEventListener("pointerleave", () => { for (const each of [rule, told]) each.setAttribute("visibility", "hidden"); });
}

// rows: one for each stretch of time, with a number from 0 to 1 for each element.
export function heatMap(host, rows, labels, label, ends) {
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
  pen.fillText(ends[0], side, height - 4);
  pen.textAlign = "right"; pen.fillText(ends[1], width, height - 4);
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect(), i = Math.floor((event.clientX - box.left - side) / cell), j = Math.floor((event.clientY - box.top) / line);
    canvas.title = rows[i]?.[j] === undefined ? "" : `${labels[j]}: ${number(rows[i][j])}`;
  });
}

export function bars(host, shares, names, label) {
  const line = 18, height = line * shares.length + 4, [svg, width] = canvasOf(host, Math.max(40, height), label);
  shares.forEach((share, i) => {
    make(svg, "text", { x: 0, y: i * line + 13 }, names[i]);
    make(svg, "rect", { class: "bar", x: 104, y: i * line + 3, height: line - 6, width: Math.max(1, (width - 164) * share) });
    make(svg, "text", { x: 108 + (width - 164) * share, y: i * line + 13 }, number(share));
  });
}
