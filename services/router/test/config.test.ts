import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "@triptych/config";
import { RouterConfig } from "../src/config.ts";

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
