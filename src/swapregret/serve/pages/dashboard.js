// The dashboard: a list of problems, and one of them, live.
import { bars, clockOf, count, heatMap, lineChart, moment, number } from "/pages/charts.js";

const $ = (selector) => document.querySelector(selector);
let shown = null, view = null, info = null, stop = null, wasChosen = false;

async function ask(path, options = {}) {
  const key = sessionStorage.getItem("key");
  const answer = await fetch(path, { ...options, headers: key ? { Authorization: `Bearer ${key}` } : {} });
  if (answer.ok) return answer;
  if (answer.status === 401) $("#login").hidden = false;
  throw new Error((await answer.json()).error.sentence);
}

function say(text) { if ($("#state").textContent !== text) $("#state").textContent = text; }

function table(host, caption, heads, rows) {
  const made = document.createElement("table"), head = made.createTHead().insertRow();
  made.createCaption().textContent = caption;
  made.caption.className = "soft";
  for (const text of heads) { const th = document.createElement("th"); th.scope = "col"; th.textContent = text; head.append(th); }
  const body = made.createTBody();
  for (const row of rows) { const tr = body.insertRow(); for (const text of row) { const cell = tr.insertCell(); cell.textContent = text; if (/^[–\d]/.test(text) && !/[;,] /.test(text)) cell.className = "short"; } }
  host.replaceChildren(made);
}

function legend(kind, text) {
  const made = document.createElement("b");
  made.className = `key ${kind}`; made.textContent = text;
  return made;
}

const MEANINGS = [
  [/^scale/, "A scale starts afresh from time to time."], [/^new scales/, "New scales have just begun."], [/^steady/, "Steady never forgets."],
  [/^tracker/, "A tracker forgets what is more days old than its number."], [/^fast/, "Fast forgets almost at once."], [/^uniform/, "Uniform draws at random."],
  [/^forecaster/, "The forecaster weighs memories by what they would have foretold."], [/^experts/, "Experts say what to choose in place of each single choice."],
  [/^exploration/, "Exploration tries everything."],
];
const whenEnds = (view, clock) => [0, view.totals.n_decisions].map((day) => (view.times.length ? moment(clock(day), view.times.at(-1)[1] - view.times[0][1]) : ""));
const nameOfSet = (set) => (typeof set === "string" ? set.replace(/ labels=.*/, "") : Object.entries(set).filter(([, v]) => !Array.isArray(v)).map(([, v]) => v).join(" "));
const seconds = (value) => (value < 1 ? `${Math.round(1000 * value)} ms` : value < 120 ? `${number(value)} s` : value < 7200 ? `${number(value / 60)} min` : `${number(value / 3600)} h`);

async function refreshList() {
  const chosen = new URLSearchParams(Object.entries({ state: $("#by-state").value, within: $("#by-age").value }).filter(([, v]) => v));
  const problems = await (await ask(`/problems?${chosen}`)).json();
  $("#login").hidden = true;
  $("#none").hidden = problems.length > 0 || chosen.size > 0; $("#list").hidden = problems.length === 0;
  const rows = problems.map((each) => {
    const row = document.createElement("tr"), link = document.createElement("a");
    link.href = `#${each.id}`; link.textContent = each.name;
    if (each.id === shown) { row.className = "here"; link.setAttribute("aria-current", "true"); }
    row.insertCell().append(link);
    row.insertCell().textContent = each.spec ? nameOfSet(each.spec.set) : "a set with a long description";
    const made = row.insertCell(); made.className = "short"; made.textContent = seconds(Math.max(0, Date.now() / 1000 - each.created));
    row.insertCell().textContent = each.state + (each.served_by && each.served_by !== "this process" ? `, served by ${each.served_by}` : "");
    for (const value of [each.n_decisions, each.n_open, each.mean_reward]) { const cell = row.insertCell(); cell.className = "n"; cell.textContent = number(value); }
    return row;
  });
  const focused = document.activeElement?.getAttribute?.("href");
  $("#list tbody").replaceChildren(...rows);
  if (focused?.startsWith("#")) document.querySelector(`#list a[href="${CSS.escape(focused).replace("\\#", "#")}"]`)?.focus();
  info = shown ? { ...info, ...(problems.find((each) => each.id === shown) ?? {}), spec: info?.spec } : null;
  return problems;
}

function fact(list, name, value, kind = "") {
  const box = document.createElement("div"), dt = document.createElement("dt"), dd = document.createElement("dd");
  dt.textContent = name; dd.textContent = value; dd.className = kind;
  box.append(dt, dd); list.append(box);
}

function draw() {
  if (!view || !info?.spec) return;
  $("#problem").hidden = false;
  $("#title").textContent = info.name;
  $("#what").textContent = `${nameOfSet(info.spec.set)}: ${view.n_actions ? count(view.n_actions) : "many"} actions of ${view.labels.length} elements; ${info.spec.horizon ? `planned for ${number(info.spec.horizon)} decisions` : "without an end"}; ${info.spec.feedback} feedback; preset ${info.spec.preset}; made ${moment(info.created, 1e6)}.`;
  const totals = view.totals, rewarded = totals.n_rewards + totals.n_defaults, player = view.player, facts = document.createElement("dl");
  fact(facts, "State", view.state, view.state === "open" ? "good" : "");
  fact(facts, "Decisions", number(totals.n_decisions));
  fact(facts, "Rewards", number(totals.n_rewards));
  fact(facts, "By deadline", number(totals.n_defaults));
  fact(facts, "Skipped", number(totals.n_skips));
  fact(facts, "Open", number(view.n_open));
  fact(facts, `Mean ${view.unit}`, rewarded ? number(totals.reward_sum / rewarded) : "–");
  if (player && player.guard_has_tripped !== null) fact(facts, "Guard", player.guard_has_tripped ? "has tripped: only the scales decide" : "has not tripped", player.guard_has_tripped ? "bad" : "good");
  if (view.uplift) fact(facts, "Beyond the baseline", `${number(view.uplift.value)} per day (${number(view.uplift.lower)} to ${number(view.uplift.upper)})`, view.uplift.lower > 0 ? "good" : view.uplift.upper < 0 ? "bad" : "");
  if (view.n_past) fact(facts, "Days before", number(view.n_past));
  $("#facts").replaceChildren(...facts.children);

  const rewards = view.rewards.map((r) => ({ x: r.day, y: r.mean, low: r.mean - 2 * r.error, high: r.mean + 2 * r.error }));
  const lastReward = rewards.at(-1);
  $("#rewards h3").textContent = view.unit === "cost" ? "Costs" : "Rewards";
  const clock = clockOf(view.times);
  $("#rewards p").textContent = `Each point is the mean of ${number(view.width)} decisions. The true mean lies in the shaded band 19 times out of 20.`;
  lineChart($("#rewards .plot"), [{ name: `mean ${view.unit}`, points: rewards }], lastReward ? `Mean ${view.unit} over ${rewards.length} blocks; ${number(rewards[0].y)} at first, ${number(lastReward.y)} now.` : "No rewards yet.", clock);
  table($("#rewards details div"), "The latest blocks of decisions", ["from decision", "mean", "standard error"], view.rewards.slice(-12).map((r) => [number(r.day), number(r.mean), number(r.error)]));

  const external = view.regret.map((r) => ({ x: r.day, y: r.value, low: Math.min(r.low, r.value), high: r.high })), lastExternal = external.at(-1);
  const swap = view.swap.map((r) => ({ x: r.day, y: r.value })), lastSwap = swap.at(-1);
  const lines = [{ name: "external", points: external }, { name: "swap", points: swap }];
  $("#regret p").replaceChildren(legend("of0", "external regret"), " what the best fixed choice would have earned more, per decision so far. On average the line is not below the true value; its band adds two standard errors at both ends. ", legend("of1", "swap regret"),
    lastSwap ? " what the best rule “whenever you chose X, choose Y” would have earned more. On average the line is not above the true value, so the two may cross, though true swap regret is never below external regret." : " is not estimated here: it takes the preset adaptive and a horizon. Export the log and run swapregret audit.", " Rewards count from 0 to 1. The axis fits the second half of the days.");
  lineChart($("#regret .plot"), lines, lastExternal ? `Regret per decision, estimated: external ${number(lastExternal.y)}, between ${number(lastExternal.low)} and ${number(lastExternal.high)}; swap ${number(lastSwap?.y)} or more.` : "Too few rewards for an estimate.", clock, 0.5);
  table($("#regret details div"), "The latest estimates", ["decisions", "external", "from", "to", "swap"], external.slice(-12).map((r) => [r.x, r.y, r.low, r.high, swap.findLast((each) => each.x <= r.x)?.y].map(number)));

  const now = view.marginals, top = now.indexOf(Math.max(...now));
  $("#heat p").textContent = "One row per element, time runs to the right: the darker, the likelier it was chosen.";
  heatMap($("#heat .plot"), view.heat, view.labels, `How likely each of ${now.length} elements is over time; most likely now: ${view.labels[top]}, ${number(now[top])}.`, whenEnds(view, clock));
  const isMissing = view.absent.some((days) => days > 0), share = (i) => `${number(100 * (1 - view.absent[i] / totals.n_decisions))} %`;
  table($("#heat details div"), "Now", ["element", "probability", ...(isMissing ? ["was there"] : [])], now.map((value, i) => [view.labels[i], number(value), ...(isMissing ? [share(i)] : [])]));

  const members = player?.members ?? [], largest = members.reduce((best, each) => (each.weight > best.weight ? each : best), { name: "none", weight: 0 });
  const told = MEANINGS.filter(([name]) => members.some((each) => name.test(each.name))).map(([, words]) => words);
  if (player && player.guard_has_tripped !== null) told.push("The guard trips once estimated swap regret is too large: from then on only the scales decide.");
  $("#parts p").textContent = ["Several learners run side by side. A bar is the share of today's decisions that one of them makes.", ...told].join(" ");
  bars($("#parts .plot"), members.map((each) => each.weight), members.map((each) => each.name), `Weights of ${members.length} members; the largest is ${largest.name}, ${number(largest.weight)}.`);
  table($("#parts details div"), "Scales", ["scale", "updates every", "restarts every", "next update in", "next restart in"], (player?.scales ?? []).map((s) => [s.scale, s.update_every, s.restart_every, s.next_update, s.next_restart].map(number)));

  $("#by-context").hidden = !view.contexts.length;
  const beyond = (each) => each.uplift === undefined ? "–" : `${number(each.uplift)} (${number(each.lower)} to ${number(each.upper)})`;
  table($("#contexts"), "Rewarded decisions of each context", ["context", "decisions", `mean ${view.unit}`, ...(info.spec.holdout ? ["beyond the baseline"] : [])], view.contexts.map((each) => [String(each.context), number(each.n_days), each.mean === null ? "–" : number(each.mean), ...(info.spec.holdout ? [beyond(each)] : [])]));
  table($("#open"), view.n_open ? `${view.oldest_open.length} of ${number(view.n_open)}` : "None is open.", ["decision", "choice", "age"], view.oldest_open.map((d) => [d.own_id === null ? d.id : `${d.own_id} (${d.id})`, d.text, seconds(d.age)]));
  table($("#latest"), "Closed last", ["day", "choice", "closed by", view.unit, "took"], view.latest.map((d) => [number(d.day), d.text, d.kind, number(d.reward), seconds(Math.max(0, d.closed - d.made))]));
  $("#archive").hidden = view.state !== "open";
  if (wasChosen) { wasChosen = false; $("#problem").focus(); }
  document.documentElement.dataset.ready = String(view.seq);
}

// Server-sent events by fetch: unlike EventSource it can send the key in a header, so that it never stands in a URL.
async function follow(id, signal) {
  while (!signal.aborted) {
    try {
      const reader = (await ask(`/problems/${encodeURIComponent(id)}/stream`, { signal })).body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const parts = (rest + value).split("\n\n");
        rest = parts.pop();
        for (const part of parts) {
          const data = part.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("");
          if (part.startsWith("event: view")) { view = JSON.parse(data); draw(); say(`Live: ${number(view.totals.n_decisions)} decisions.`); }
          if (part.startsWith("event: fault")) say(JSON.parse(data).error.sentence);
        }
      }
    } catch (error) { if (!signal.aborted) say(`Not live: ${error.message}`); }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function show(id) {
  if (id === shown) return;
  shown = id; view = info = null;
  stop?.abort();
  $("#problem").hidden = true;
  stop = new AbortController();
  if (id) info = await (await ask(`/problems/${encodeURIComponent(id)}`)).json();
  await refreshList();
  if (id) follow(id, stop.signal);
}

async function exportLog() {
  say("Making the log …");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await (await ask(`/problems/${encodeURIComponent(shown)}/log`)).blob());
  link.download = `${shown}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
  say("The log was saved. It can be read by swapregret audit.");
}

async function archive() {
  if (!confirm(`Archive “${info.name}”? It takes no more decisions; rewards of open ones may still come.`)) return;
  await ask(`/problems/${encodeURIComponent(shown)}/archive`, { method: "POST" });
  await refreshList();
}

async function tick() {
  try {
    const problems = await refreshList();
    if (!shown && problems.length) await show(location.hash.slice(1) || problems[0].id);
    else if (!problems.length) say("Ready.");
  } catch (error) { say(error.message); }
  setTimeout(tick, 2000);
}

addEventListener("hashchange", () => { wasChosen = location.hash.slice(1) !== shown; show(location.hash.slice(1)).catch((error) => say(error.message)); });
for (const [button, act] of [["#export", exportLog], ["#archive", archive]]) $(button).addEventListener("click", () => act().catch((error) => say(error.message)));
for (const filter of ["#by-state", "#by-age"]) $(filter).addEventListener("change", () => refreshList().catch((error) => say(error.message)));
addEventListener("resize", () => draw());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw());
$("#login").addEventListener("submit", (event) => { event.preventDefault(); sessionStorage.setItem("key", $("#key").value.trim()); $("#key").value = ""; location.reload(); });
tick();
