// The API page: openapi.json of this server, written out. Nothing is fetched from anywhere else.
const described = await (await fetch("/openapi.json")).json();
const host = document.querySelector("#operations");

function add(parent, name, text, kind = "") {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  parent.append(made);
  return made;
}

const found = (schema) => (schema?.$ref ? described.components.schemas[schema.$ref.split("/").at(-1)] : schema ?? {});

function type(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return schema.anyOf.map(type).join(" or ");
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return schema.prefixItems ? `[${schema.prefixItems.map(type).join(", ")}]` : `list of ${type(schema.items ?? {})}`;
  return schema.type ?? "anything";
}

function limits(schema) {
  const all = [schema, ...(schema.anyOf ?? [])], names = { minimum: "≥", exclusiveMinimum: ">", maximum: "≤", exclusiveMaximum: "<", maxLength: "length ≤", minItems: "items ≥" };
  return Object.entries(names).flatMap(([name, sign]) => all.filter((each) => each[name] !== undefined).map((each) => `${sign} ${each[name]}`)).join(", ");
}

function fields(parent, caption, schema, done = new Set()) {
  done.add(schema.$ref);
  const { properties = {}, required = [] } = found(schema);
  const wide = add(parent, "div", undefined, "wide"), table = add(wide, "table");
  wide.tabIndex = 0;
  add(table, "caption", caption, "soft");
  const head = add(add(table, "thead"), "tr");
  for (const text of ["field", "type", ""]) add(head, "th", text).scope = "col";
  const body = add(table, "tbody");
  for (const [name, each] of Object.entries(properties)) {
    const row = add(body, "tr");
    add(add(row, "td"), "code", name);
    add(row, "td", [type(each), limits(each)].filter(Boolean).join("; "));
    const preset = each.default === undefined ? "" : `Default ${JSON.stringify(each.default)}.`;
    add(row, "td", [required.includes(name) && !caption.startsWith("Answer") ? "Required." : "", each.description ?? "", preset].filter(Boolean).join(" "));
  }
  for (const each of Object.values(properties)) {
    const inner = each.items?.$ref ?? each.$ref ?? each.anyOf?.map((one) => one.$ref).find(Boolean);
    if (inner && !done.has(inner)) fields(parent, inner.split("/").at(-1), { $ref: inner }, done);
  }
}

function sample(body) {
  const values = { set: "msets 10 3", horizon: 10000, reward: 0.4, rewards: [{ decision: "ID.0", reward: 0.4 }], count: 1 };
  const { properties = {}, required = [] } = found(body), shown = required.length ? required : Object.keys(properties);
  return Object.fromEntries(shown.map((name) => [name, values[name] ?? null]));
}

function example(method, path, body) {
  const data = body ? ` -H 'Content-Type: application/json' -d '${JSON.stringify(sample(body))}'` : "";
  return `curl${method === "get" ? "" : " -X POST"} ${location.origin}${path}${data}`;
}

// A form that sends a request of this kind, and shows what comes back. The key is that of the dashboard, kept for the tab.
function trial(parent, method, path, operation, body) {
  const box = add(parent, "details", undefined, "trial"), form = add(add(box, "summary", "Try it out").parentElement, "form");
  const given = (operation.parameters ?? []).filter((each) => each.in !== "header").map((each) => {
    const label = add(form, "label", `${each.name} `), input = add(label, "input");
    input.required = each.required ?? false;
    return [each, input];
  });
  const text = body ? add(add(form, "label", "Body, JSON "), "textarea") : null;
  if (text) text.value = JSON.stringify(sample(body), null, 1);
  const key = add(add(form, "label", "Key, where keys are in use "), "input");
  key.type = "password"; key.autocomplete = "off"; key.value = sessionStorage.getItem("key") ?? "";
  add(form, "button", "Send");
  const said = add(box, "pre");
  said.setAttribute("role", "status"); said.hidden = true;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (key.value) sessionStorage.setItem("key", key.value.trim());
    let place = path;
    const query = new URLSearchParams();
    for (const [each, input] of given) {
      if (each.in === "path") place = place.replace(`{${each.name}}`, encodeURIComponent(input.value));
      else if (input.value) query.set(each.name, input.value);
    }
    said.hidden = false;
    const headers = { ...(key.value ? { Authorization: `Bearer ${key.value.trim()}` } : {}), ...(text ? { "Content-Type": "application/json" } : {}) };
    const stop = new AbortController(), late = setTimeout(() => stop.abort(), 60000);
    try {
      const answer = await fetch(query.size ? `${place}?${query}` : place, { method: method.toUpperCase(), headers, body: text?.value, signal: stop.signal });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let whole = "";
      for (;;) { // the beginning is enough: a stream never ends
        const { value, done } = await reader.read();
        whole += value ?? "";
        if (done || whole.length > 20000 || path.endsWith("/stream")) break;
      }
      reader.cancel().catch(() => {});
      try { whole = JSON.stringify(JSON.parse(whole), null, 1); } catch { /* not JSON: as it is */ }
      said.textContent = `${answer.status} ${answer.statusText}\n${whole.slice(0, 20000)}`;
    } catch (error) { said.textContent = `No answer: ${error.message}`; } finally { clearTimeout(late); }
  });
}

for (const [path, methods] of Object.entries(described.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const section = add(host, "section", undefined, "operation"), title = add(section, "h2");
    section.id = operation.operationId;
    add(title, "span", method.toUpperCase(), "method");
    add(title, "code", ` ${path}`);
    add(section, "p", operation.description ?? operation.summary);
    const body = operation.requestBody?.content?.["application/json"]?.schema;
    const sent = body?.anyOf?.find((each) => each.$ref) ?? body;
    add(section, "pre", example(method, path, sent));
    trial(section, method, path, operation, sent);
    const done = new Set();
    if (sent) fields(section, "Request", sent, done);
    for (const [status, answer] of Object.entries(operation.responses)) {
      const schema = answer.content?.["application/json"]?.schema;
      const inner = schema?.items ?? schema;
      if (status.startsWith("2") && inner?.$ref) fields(section, `Answer ${status}${schema.items ? ", a list of" : ""}`, inner, done);
    }
    add(section, "p", `Errors: ${Object.keys(operation.responses).filter((status) => !status.startsWith("2")).join(", ")}.`, "soft");
  }
}
document.querySelector("#state").textContent = `${described.info.title} ${described.info.version}`;
document.documentElement.dataset.ready = "yes";
