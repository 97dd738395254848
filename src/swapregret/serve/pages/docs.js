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

function example(method, path, body) {
  const schema = found(body), values = Object.fromEntries((schema.required ?? []).map((name) => [name, { set: "msets 10 3", reward: 0.4, rewards: [{ decision: "ID.0", reward: 0.4 }] }[name] ?? null]));
  const data = body ? ` -H 'Content-Type: application/json' -d '${JSON.stringify(values)}'` : "";
  return `curl${method === "get" ? "" : " -X POST"} ${location.origin}${path}${data}`;
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
