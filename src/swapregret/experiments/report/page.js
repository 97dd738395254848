// Draws the figures of a report: its data are in #report, its figures in elements with data-panel.
(() => {
  "use strict";
  const report = JSON.parse(document.getElementById("report").textContent);
  // Named one by one: Plotly's default bar has a button that would upload the figure.
  const config = { responsive: true, displaylogo: false, modeBarButtons: [["toImage"], ["zoom2d", "pan2d", "resetScale2d"]] };
  const picker = document.getElementById("scene");
  const panels = new Map([...document.querySelectorAll("[data-panel]")].map((box) => [box.dataset.panel, makePanel(box)]));

  function makePanel(box) {
    const find = (selector) => box.querySelector(selector);
    const panel = {
      box, plot: find(".plot"), absent: find(".absent"), note: find(".note"), words: find(".words"),
      controls: find(".controls"), choice: find(".choice"), slider: find(".slider"),
      switches: [...box.querySelectorAll("[data-axes]")], key: box.dataset.panel, axes: null, isMoved: false,
    };
    panel.choice.querySelector("select").addEventListener("change", () => draw(panel));
    if (panel.slider) panel.slider.querySelector("input").addEventListener("input", () => { panel.isMoved = true; move(panel); });
    for (const button of panel.switches) button.addEventListener("click", () => setAxes(panel, button.dataset.axes));
    return panel;
  }

  const content = (panel) => report.scenes[Number(picker.value)].panels[panel.key];
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
      "margin.t": isPrint || isNarrow() ? 8 : 34, "font.size": isPrint ? 10 : 13, "font.color": ink,
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
      font: { family: "system-ui, sans-serif" },
    });
    delete made.height;  // the element has it, so that it survives a change of the window
    for (const [path, value] of Object.entries({ ...theme(), ...axesOf(panel, layout) })) {
      const keys = path.split("."), last = keys.pop();
      keys.reduce((at, key) => (at[key] ??= {}), made)[last] = value;
    }
    return made;
  }

  // Both axes logarithmic, or both linear; the ticks of the one have no meaning on the other.
  function axesOf(panel, layout) {
    if (!panel.axes) return {};
    const isLog = panel.axes === "log", ticks = layout.meta.ticks;
    return {
      "xaxis.type": panel.axes, "xaxis.dtick": isLog ? ticks[0] : null, "xaxis.autorange": true,
      "xaxis.exponentformat": isLog ? "power" : "SI", "yaxis.exponentformat": isLog ? "power" : "SI",
      "yaxis.type": panel.axes, "yaxis.dtick": isLog ? ticks[1] : null, "yaxis.autorange": true,
    };
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
    Plotly.react(panel.plot, structuredClone(figure.data), themed(panel, figure.layout), config);
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
    Plotly.relayout(panel.plot, axesOf(panel, chosen(panel).figure.layout));
  }

  function drawAll() { for (const panel of panels.values()) draw(panel); }

  function repaint() {
    for (const panel of panels.values()) {
      if (!panel.plot.hidden && panel.plot.layout) {
        panel.plot.style.height = heightOf(figureOf(panel).layout) + "px";
        Plotly.relayout(panel.plot, { ...theme(), autosize: true });
        if (chosen(panel).probabilities) move(panel);
      }
    }
  }

  picker.addEventListener("change", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  matchMedia("(max-width: 639px)").addEventListener("change", repaint);
  matchMedia("print").addEventListener("change", repaint);
  addEventListener("beforeprint", repaint);
  addEventListener("afterprint", repaint);
  drawAll();
  document.documentElement.dataset.ready = "true";
})();
