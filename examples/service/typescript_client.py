"""Write a TypeScript client of the decision service from its own description (OpenAPI): a module, and its types.

Start `swapregret serve`, then:

    python examples/service/typescript_client.py http://127.0.0.1:8000 web/src

This writes ``swapregret.mjs`` and ``swapregret.d.mts``, which need a browser, or Node 20 or newer, and nothing else. Each request
of the service is a method. Those that change something carry an Idempotency-Key, so they are sent again without harm when the
connection breaks.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

Json = dict[str, Any]

MODULE = """\
// Made by typescript_client.py from the description of swapregret {version}. Do not edit.

const AGAIN = [408, 429, 500, 502, 503, 504];

/** What the service refused: what must hold, what came, what to do. */
export class ServiceError extends Error {{
  constructor(status, error) {{
    super(error?.sentence ?? `The service answered with status ${{status}}.`);
    this.name = "ServiceError";
    this.status = status;
    this.field = error?.field ?? null;
    this.endpoint = error?.endpoint ?? null;
  }}
}}

export class Client {{
  #url; #headers; #tries;

  constructor(url = "http://127.0.0.1:8000", {{ key = null, tries = 6 }} = {{}}) {{
    this.#url = url.replace(/\\/+$/, "");
    this.#headers = key === null ? {{}} : {{ authorization: `Bearer ${{key}}` }};
    this.#tries = tries;
  }}

  async #call(method, path, {{ query = {{}}, body, isRaw = false }} = {{}}) {{
    const chosen = new URLSearchParams(Object.entries(query).filter(([, value]) => value != null));
    const address = this.#url + path + (chosen.size ? `?${{chosen}}` : "");
    const headers = {{ ...this.#headers }};
    if (method !== "GET") headers["idempotency-key"] = crypto.randomUUID();
    if (body !== undefined) headers["content-type"] = "application/json";
    const request = {{ method, headers, body: body === undefined ? undefined : JSON.stringify(body) }};
    for (let left = this.#tries - 1, pause = 100; ; left -= 1, pause *= 2) {{
      let reply = null;
      try {{
        reply = await fetch(address, request);
      }} catch (failure) {{
        if (left <= 0) throw failure;
      }}
      if (reply?.ok) return isRaw ? reply : reply.json();
      if (reply && (left <= 0 || !AGAIN.includes(reply.status))) {{
        throw new ServiceError(reply.status, (await reply.json().catch(() => ({{}}))).error);
      }}
      await new Promise((wake) => setTimeout(wake, pause));
    }}
  }}
{methods}}}
"""

TYPES = """\
// Made by typescript_client.py from the description of swapregret {version}. Do not edit.

export declare class ServiceError extends Error {{
  readonly status: number;
  readonly field: string | null;
  readonly endpoint: string | null;
}}

export declare class Client {{
  constructor(url?: string, options?: {{ key?: string | null; tries?: number }});
{methods}}}
{interfaces}"""


def type_of(schema: Json) -> str:
    """Return the type of what a schema describes.

    >>> type_of({"anyOf": [{"type": "array", "items": {"type": "number"}}, {"type": "null"}]})
    'number[] | null'
    """
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(each) for each in schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array" and "prefixItems" in schema:
        return "[" + ", ".join(type_of(each) for each in schema["prefixItems"]) + "]"
    if kind == "array":
        inner = type_of(schema.get("items", {}))
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {type_of(values) if isinstance(values, dict) else 'unknown'}>"
    return {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}.get(
        str(kind), "unknown"
    )


def interface_of(name: str, schema: Json) -> str:
    """Return the interface of a described object."""
    required = set(schema.get("required", ()))
    lines = [f"\n{_comment(schema.get('description'), '')}export interface {name} {{\n"]
    for field, inner in schema.get("properties", {}).items():
        mark = "" if field in required else "?"
        lines.append(f"{_comment(inner.get('description'), '  ')}  {field}{mark}: {type_of(inner)};\n")
    return "".join([*lines, "}\n"])


def methods_of(path: str, method: str, operation: Json) -> tuple[str, str]:
    """Return a request as a method, in code and in types."""
    name = re.sub(r"_(\w)", lambda found: found[1].upper(), operation["operationId"])
    parameters = operation.get("parameters", [])
    query = [each for each in parameters if each["in"] == "query"]
    names = [each["name"] for each in parameters if each["in"] == "path"]
    typed = [f"{each}: string" for each in names]
    options = []
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content:
        names.append("body")
        mark = "" if operation["requestBody"].get("required") else "?"
        typed.append(f"body{mark}: {type_of(content['schema'])}")
        options.append("body")
    if query:
        names.append("query")
        fields = "; ".join(f"{each['name']}?: {type_of(each['schema'])}" for each in query)
        typed.append(f"query?: {{ {fields} }}")
        options.append("query")
    answer = next(reply for status, reply in operation["responses"].items() if status.startswith("2"))
    described = answer.get("content", {}).get("application/json")
    if not described:
        options.append("isRaw: true")
    address = re.sub(r"\{(\w+)\}", r"${encodeURIComponent(\1)}", path)
    call = f"this.#call({json.dumps(method.upper())}, `{address}`, {{ {', '.join(options)} }})"
    code = f"  {name}({', '.join(names)}) {{\n    return {call};\n  }}\n"
    result = type_of(described["schema"]) if described else "Response"
    return "\n" + code, _comment(
        operation.get("description"), "  "
    ) + f"  {name}({', '.join(typed)}): Promise<{result}>;\n"


def _comment(text: str | None, indent: str) -> str:
    return f"{indent}/** {' '.join(text.split()).replace('*/', '* /')} */\n" if text else ""


def client_of(description: Json) -> dict[str, str]:
    """Return the files of a client, by name."""
    made = [
        methods_of(path, method, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
        if "operationId" in operation
    ]
    version = description["info"]["version"]
    interfaces = "".join(interface_of(*each) for each in description["components"]["schemas"].items())
    return {
        "swapregret.mjs": MODULE.format(version=version, methods="".join(code for code, _ in made)),
        "swapregret.d.mts": TYPES.format(
            version=version, methods="".join(types for _, types in made), interfaces=interfaces
        ),
    }


def main(url: str = "http://127.0.0.1:8000", folder: str = ".") -> None:
    """Ask a server for its description, and write the client."""
    with urlopen(f"{url.rstrip('/')}/openapi.json") as reply:
        files = client_of(json.load(reply))
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        Path(folder, name).write_text(text, encoding="utf-8")
        print(Path(folder, name))


if __name__ == "__main__":
    main(*sys.argv[1:3])
