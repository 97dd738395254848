// Draws the figures of a report: its data are in #report, its figures in elements with data-panel.
(() => {
  "use strict";
  let report = JSON.parse(document.getElementById("report").textContent);
  // Named one by one: Plotly's default bar has a button that would upload the figure.
  const config = { responsive: true, displaylogo: false, modeBarButtons: [["zoom2d", "pan2d", "resetScale2d"]] };
  const picker = document.getElementById("case");
  const panels = new Map([...document.querySelectorAll("[data-panel]")].map((box) => [box.dataset.panel, makePanel(box)]));

  function makePanel(box) {
    const find = (selector) => box.querySelector(selector);
    const panel = {
      box, plot: find(".plot"), absent: find(".absent"), note: find(".note"), words: find(".words"),
      controls: find(".controls"), choice: find(".choice"), slider: find(".slider"),
      switches: [...box.querySelectorAll("[data-axes]")], key: box.dataset.panel, axes: null, isMoved: false,
    };
    panel.title = find("h2").textContent;
    for (const button of box.querySelectorAll("[data-download]")) {
      button.addEventListener("click", () => (button.dataset.download === "png" ? savePicture(panel) : saveNumbers(panel)));
    }
    panel.choice.querySelector("select").addEventListener("change", () => draw(panel));
    if (panel.slider) panel.slider.querySelector("input").addEventListener("input", () => { panel.isMoved = true; move(panel); });
    for (const button of panel.switches) button.addEventListener("click", () => setAxes(panel, button.dataset.axes));
    return panel;
  }

  const shownCase = () => report.cases[picker ? Number(picker.value) : 0];
  const content = (panel) => shownCase().panels[panel.key];
  const chosen = (panel) => content(panel).choices[panel.choice.querySelector("select").selectedIndex] || content(panel).choices[0];
  const isNarrow = () => innerWidth < 640;
  const figureOf = (panel) => chosen(panel).figure || content(panel).figure;

  // Ink, grid and paper are those of the style sheet: light, dark or print.
  function theme() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    const ink = of("--ink"), grid = of("--grid");
    const isPrint = matchMedia("print").matches;
    const made = {
      "font.size": isPrint ? 10 : 13, "font.color": ink,
      "hoverlabel.bgcolor": of("--card"), "hoverlabel.bordercolor": grid, "hoverlabel.font.color": ink,
      "modebar.bgcolor": "rgba(0,0,0,0)", "modebar.color": of("--soft"), "modebar.activecolor": ink,
    };
    for (const axis of ["xaxis", "yaxis"]) {
      for (const part of ["gridcolor", "zerolinecolor", "linecolor", "tickcolor"]) made[axis + "." + part] = grid;
    }
    return made;
  }

  // Names below a figure take more room on a narrow screen; paper has less to give.
  function heightOf(layout) {
    if (matchMedia("print").matches) return Math.min(layout.height, 280);
    return layout.height + (isNarrow() ? 12 * (layout.meta.names || 0) : 0);
  }

  function themed(panel, layout) {
    const made = structuredClone({
      ...layout, autosize: true, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif" }, title: titleOf(panel),
    });
    made.margin.t = 30 + 18 * made.title.text.split("<br>").length;
    if (made.yaxis?.type === "category" && isNarrow()) Object.assign(made.yaxis, shortNames(figureOf(panel).data));
    delete made.height;  // the element has it, so that it survives a change of the window
    for (const [path, value] of Object.entries({ ...theme(), ...axesOf(panel, layout) })) {
      const keys = path.split("."), last = keys.pop();
      keys.reduce((at, key) => (at[key] ??= {}), made)[last] = value;
    }
    return made;
  }

  // Long names beside bars leave no room for the bars: on a narrow screen they are cut; under the finger they are whole.
  function shortNames(data) {
    const names = [...new Set(data.flatMap((trace) => trace.y))];
    return { tickvals: names, ticktext: names.map((name) => (name.length > 16 ? name.slice(0, 15) + "…" : name)) };
  }

  // What a figure shows and of which case, in lines that fit the screen: it says so in a downloaded picture too.
  function titleOf(panel) {
    const choice = chosen(panel).name, wide = Math.max(28, Math.floor((panel.plot.clientWidth || 600) / 8.8));
    const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    const folded = (text) => escaped(text).split(" ").reduce((lines, word) => {
      const last = lines[lines.length - 1];
      if ((last + " " + word).length <= wide) lines[lines.length - 1] = last ? last + " " + word : word;
      else lines.push(word);
      return lines;
    }, [""]).join("<br>");
    const where = [shownCase().label, choice].filter(Boolean).join(" · ");
    const text = "<b>" + folded(panel.title) + "</b>" + (where ? "<br>" + folded(where) : "");
    return { text, x: 0, xref: "container", xanchor: "left", y: 1, yref: "container", yanchor: "top", pad: { t: 18, l: 6 }, font: { size: 13 } };
  }

  const slug = (...parts) => parts.filter(Boolean).join(" ").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  const nameOf = (panel) => slug(panel.key, shownCase().label, chosen(panel).name);

  function savePicture(panel) {
    const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
    const layout = { ...structuredClone(panel.plot.layout), paper_bgcolor: paper, plot_bgcolor: paper, autosize: false };
    const size = { width: Math.max(640, panel.plot.clientWidth), height: panel.plot.clientHeight };
    const shown = { data: panel.plot.data, layout: { ...layout, ...size } };
    Plotly.downloadImage(shown, { format: "png", scale: 2, filename: nameOf(panel), ...size });
  }

  function save(name, rows) {
    const quoted = (cell) => (/[",\n]/.test(String(cell ?? "")) ? '"' + String(cell).replaceAll('"', '""') + '"' : String(cell ?? ""));
    const text = rows.map((row) => row.map(quoted).join(",")).join("\n") + "\n";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = name + ".csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // The numbers behind a figure: what is drawn, with the ends of intervals where there are some.
  function saveNumbers(panel) {
    const choice = chosen(panel);
    const plain = (text) => new DOMParser().parseFromString(text ?? "", "text/html").documentElement.textContent;
    if (choice.probabilities) {
      const edges = choice.probabilities[0].length, labels = content(panel).figure.data[edges].text;
      const rows = choice.days.flatMap((day, at) => choice.probabilities[at].map((p, i) => [day, plain(labels[i]), p]));
      return save(nameOf(panel), [["day", "element", "probability"], ...rows]);
    }
    const layout = figureOf(panel).layout, head = [layout.xaxis?.title?.text || "x", layout.yaxis?.title?.text || "y"];
    const rows = [];
    for (const trace of figureOf(panel).data) {
      if (trace.fill === "toself" || trace.hoverinfo === "skip") continue;
      if (trace.type === "heatmap") {
        trace.z.forEach((row, i) => row.forEach((z, j) => rows.push([plain(trace.name), plain(trace.x[j]), plain(trace.y[i]), z])));
        continue;
      }
      trace.x.forEach((x, i) => {
        const ends = Array.isArray(trace.customdata?.[i]) && trace.customdata[i].length === 2 ? trace.customdata[i] : [];
        rows.push([plain(trace.name ?? trace.text?.[i]), x, plain(String(trace.y[i])), ...ends]);
      });
    }
    const isMap = figureOf(panel).data.some((trace) => trace.type === "heatmap");
    return save(nameOf(panel), [["series", ...head, ...(isMap ? ["value"] : ["low", "high"])], ...rows]);
  }

  // Tables sort by a click on a heading, filter by words, and can be saved.
  function makeTable(table) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0], rows = [...body.rows];
    const tools = document.createElement("div");
    tools.className = "tools";
    const search = Object.assign(document.createElement("input"), { type: "search", placeholder: "Filter rows" });
    search.setAttribute("aria-label", "filter rows of " + table.dataset.name);
    const order = document.createElement("select");
    order.setAttribute("aria-label", "sort " + table.dataset.name);
    order.append(new Option("Sort by …", ""), ...heads.map((head, i) => new Option(head.textContent, i)));
    const count = document.createElement("output");
    const csv = Object.assign(document.createElement("button"), { type: "button", textContent: "CSV" });
    csv.dataset.download = "csv";
    tools.append(search, order, count, csv);
    table.before(tools);
    const cell = (row, i) => row.cells[i];
    const value = (row, i) => (cell(row, i).dataset.value !== undefined ? Number(cell(row, i).dataset.value) : NaN);
    function sort(i) {
      const isDown = heads[i].getAttribute("aria-sort") === "ascending";
      heads.forEach((head) => head.removeAttribute("aria-sort"));
      heads[i].setAttribute("aria-sort", isDown ? "descending" : "ascending");
      const isNumber = rows.some((row) => !Number.isNaN(value(row, i)));
      const compare = isNumber
        ? (a, b) => (Number.isNaN(value(a, i)) - Number.isNaN(value(b, i))) || (isDown ? -1 : 1) * (value(a, i) - value(b, i))
        : (a, b) => (isDown ? -1 : 1) * cell(a, i).textContent.localeCompare(cell(b, i).textContent, "en", { numeric: true });
      body.replaceChildren(...rows.sort(compare));
    }
    function filter() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
      const shown = rows.filter((row) => !row.hidden).length;
      const all = rows.length + (rows.length === 1 ? " row" : " rows");
      count.textContent = shown === rows.length ? all : shown + " of " + all;
    }
    heads.forEach((head, i) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: head.textContent });
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(i));
    });
    order.addEventListener("change", () => { if (order.value !== "") sort(Number(order.value)); });
    search.addEventListener("input", filter);
    csv.addEventListener("click", () => {
      const ranged = heads.map((_, i) => rows.some((row) => cell(row, i).dataset.low !== undefined));
      const head = heads.flatMap((each, i) => (ranged[i] ? [each.textContent, each.textContent + " low", each.textContent + " high"] : [each.textContent]));
      const text = (row, i) => cell(row, i).dataset.value ?? cell(row, i).textContent.trim();
      const line = (row) => heads.flatMap((_, i) => {
        const { low, high } = cell(row, i).dataset;
        return ranged[i] ? [text(row, i), low ?? "", high ?? ""] : [text(row, i)];
      });
      save(slug(document.title, table.dataset.name), [head, ...[...body.rows].filter((row) => !row.hidden).map(line)]);
    });
    filter();
  }

  // Draw other results in place of these, and keep what the reader chose: see live.js.
  window.showResults = (results, lead, first) => {
    report = results;
    document.getElementById("lead").innerHTML = lead;
    document.getElementById("first").innerHTML = first;
    document.querySelectorAll("#first table.sortable").forEach(makeTable);
    drawAll();
  };

  // Vertices are filled with the colour of cards, so that their names can be read in the dark too.
  function inked(data) {
    const style = getComputedStyle(document.documentElement), made = structuredClone(data);
    for (const trace of made) {
      if (trace.mode === "markers+text") Object.assign(trace.marker, { color: style.getPropertyValue("--card").trim() });
    }
    return made;
  }

  // Both axes logarithmic, or both linear; the ticks of the one have no meaning on the other.
  function axesOf(panel, layout) {
    if (!panel.axes) return {};
    const isLog = panel.axes === "log", { ticks, frame } = layout.meta;
    const height = isLog && frame ? { "yaxis.range": frame } : { "yaxis.autorange": true };
    const made = { ...height, "xaxis.type": panel.axes, "xaxis.autorange": true, "yaxis.type": panel.axes };
    for (const [axis, drawn] of [["xaxis", ticks[0]], ["yaxis", ticks[1]]]) {
      const { dtick = null, tickformat = "", exponentformat = "SI" } = isLog ? drawn : {};
      Object.assign(made, { [axis + ".dtick"]: dtick, [axis + ".tickformat"]: tickformat, [axis + ".exponentformat"]: exponentformat });
    }
    return made;
  }

  function draw(panel) {
    const shown = content(panel);
    panel.absent.hidden = !shown.absent;
    panel.absent.textContent = shown.absent || "";
    panel.note.textContent = shown.note || "";
    for (const part of [panel.plot, panel.words, panel.controls]) part.hidden = Boolean(shown.absent);
    if (shown.absent) { Plotly.purge(panel.plot); return; }
    const select = panel.choice.querySelector("select");
    const names = shown.choices.map((choice) => choice.name);
    if (names.join("\n") !== [...select.options].map((option) => option.text).join("\n")) {
      select.replaceChildren(...names.map((name) => new Option(name)));
    }
    panel.choice.hidden = names.length < 2;
    const choice = chosen(panel), figure = figureOf(panel);
    panel.plot.style.height = heightOf(figure.layout) + "px";
    Plotly.react(panel.plot, inked(figure.data), themed(panel, figure.layout), config);
    if (!panel.axes && panel.switches.length) press(panel, figure.layout.yaxis.type === "log" ? "log" : "linear");
    if (panel.slider) {
      panel.slider.hidden = !choice.probabilities;
      if (choice.probabilities) {
        const input = panel.slider.querySelector("input");
        input.max = choice.days.length - 1;
        input.value = panel.isMoved ? Math.min(Number(input.value), choice.days.length - 1) : choice.days.length - 1;
        move(panel);
      }
    }
  }

  // Thickness of every edge after the day of the slider; the last two traces are middles and vertices.
  function move(panel) {
    const choice = chosen(panel);
    const input = panel.slider.querySelector("input"), at = Number(input.value);
    const now = choice.probabilities[at], edges = now.length;
    const day = "after day " + choice.days[at].toLocaleString("en");
    panel.slider.querySelector("output").textContent = day;
    input.setAttribute("aria-valuetext", day);
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const labels = content(panel).figure.data[edges].text;
    const none = now.map(() => undefined), accent = colour("--accent");
    Plotly.restyle(panel.plot, {
      "line.width": [...now.map((p) => 0.5 + 12 * p), undefined, undefined],
      "line.color": [...now.map(() => accent), undefined, undefined],
      opacity: [...now.map((p) => 0.3 + 0.7 * p), undefined, undefined],
      text: [...none, labels.map((label, i) => label + ": " + now[i].toFixed(3)), undefined],
      "marker.color": [...none, undefined, colour("--card")],
      "marker.line.color": [...none, undefined, colour("--soft")],
    });
    panel.plot.dataset.day = choice.days[at];
  }

  function press(panel, kind) {
    for (const button of panel.switches) button.setAttribute("aria-pressed", String(button.dataset.axes === kind));
  }

  function setAxes(panel, kind) {
    panel.axes = kind;
    press(panel, kind);
    const { "yaxis.range": range, ...rest } = axesOf(panel, chosen(panel).figure.layout);
    Plotly.relayout(panel.plot, { ...rest, "yaxis.autorange": true });  // a change of type forgets the range
    if (range) Plotly.relayout(panel.plot, { "yaxis.range": range });
  }

  function drawAll() { for (const panel of panels.values()) draw(panel); }

  function repaint() {
    for (const panel of panels.values()) {
      if (!panel.plot.hidden && panel.plot.layout) {
        panel.plot.style.height = heightOf(figureOf(panel).layout) + "px";
        const title = titleOf(panel);
        Plotly.relayout(panel.plot, { ...theme(), autosize: true, title, "margin.t": 30 + 18 * title.text.split("<br>").length });
        if (chosen(panel).probabilities) move(panel);
        else if (figureOf(panel).data.some((trace) => trace.mode === "markers+text")) draw(panel);
      }
    }
  }

  if (picker) picker.addEventListener("change", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  matchMedia("(max-width: 639px)").addEventListener("change", repaint);
  matchMedia("print").addEventListener("change", repaint);
  addEventListener("beforeprint", repaint);
  addEventListener("afterprint", repaint);
  document.querySelectorAll("table.sortable").forEach(makeTable);
  drawAll();
  document.documentElement.dataset.ready = "true";
})();
