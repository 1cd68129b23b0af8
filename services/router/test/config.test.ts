import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readConfig } from "@triptych/server";
import { RouterConfig } from "../src/config.ts";

const page = readFileSync(new URL("../../../docs/operators.md", import.meta.url), "utf8");
const rows = new Map(
  [...page.matchAll(/^\| `([A-Z_]+)` \| ([^|]*) \|/gm)].map(([, name, documented]) => [name, documented]),
);

test("every variable of the router is documented with its default", () => {
  for (const [name, schema] of Object.entries(RouterConfig.properties)) {
    const documented = rows.get(name);
    assert.ok(documented !== undefined, `${name} is not there`);
    if ("default" in schema) assert.equal(documented.replaceAll("`", ""), String(schema.default), name);
    else assert.match(documented, /^(unset|the )/, name);
  }
  const names = new Set(Object.keys(RouterConfig.properties));
  for (const name of rows.keys()) assert.ok(!name.startsWith("ROUTER_") || names.has(name), `${name} is no variable`);
});

test("an invalid variable is named without its value", () => {
  for (const [name, value] of [
    ["ROUTER_PORT", "planted70000"],
    ["ROUTER_URL", "planted://router"],
    ["ROUTER_URL", "http://router/?planted=1"],
    ["DATABASE_URL", "mysql://user:planted@db"],
    ["LOG_LEVEL", "planted"],
    ["ROUTER_TOKEN", "planted"],
    ["ROUTER_SERVICE_TOKEN", "planted_token"],
    ["ROUTER_ALLOWED_HOSTS", "planted/path"],
    ["ROUTER_ALLOWED_HOSTS", "http://planted"],
    ["ROUTER_RATE", "-1planted"],
    ["ROUTER_RATE", "true"],
    ["ROUTER_TRUNK", "planted:folder"],
  ] as const)
    assert.throws(
      () => readConfig(RouterConfig, { [name]: value }),
      ({ message }: Error) => message.includes(name) && !message.includes("planted"),
    );
});
