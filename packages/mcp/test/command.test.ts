import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ConfigError, readConfig } from "@triptych/config";
import { McpConfig } from "../src/config.ts";
import { callText, environmentOf, startFakeService } from "./support/fixture.ts";

const START = fileURLToPath(new URL("../../../start.mjs", import.meta.url));

test("serves the official client on stdio, and writes only the protocol to stdout", async () => {
  await using service = await startFakeService(() => ({ body: { total: 1, items: [{ slug: "rennes" }] } }));
  const env = Object.fromEntries(
    Object.entries(environmentOf(service.url)).map(([name, value]) => [name, value ?? ""]),
  );
  const transport = new StdioClientTransport({ command: process.execPath, args: [START, "mcp"], env, stderr: "pipe" });
  const errors: Error[] = [];
  const client = new Client({ name: "test", version: "1" });
  // The client reports each line that is not a message.
  Object.assign(client, { onerror: (error: Error) => errors.push(error) });
  await client.connect(transport);
  try {
    assert.ok((await client.listTools()).tools.some(({ name }) => name === "directory_search"));
    assert.match((await callText(client, "directory_search")).text, /"slug":"rennes"/);
    assert.deepEqual(errors, []);
  } finally {
    await client.close();
  }
});

test("exits with 2 and lists every invalid variable, without its value", () => {
  const env = { MCP_PORT: "99999", PANEL_URL: "ftp://secret.test", MCP_DECISIONS: "both" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [START, "mcp"], { env, encoding: "utf8", input: "" });
  assert.deepEqual([status, stdout], [2, ""]);
  for (const name of Object.keys(env)) assert.match(stderr, new RegExp(`${name}: `));
  assert.doesNotMatch(stderr, /secret\.test|99999|both/);
});

test("refuses to share credentials from the environment with other machines", () => {
  for (const open of [{ HOST: "0.0.0.0" }, { MCP_ALLOWED_HOSTS: "mcp.example.test" }]) {
    const env = { ...open, WALLET_TOKEN: "rail_test_secret", MCP_PORT: "0" };
    const { status, stderr } = spawnSync(process.execPath, [START, "mcp", "--http"], { env, encoding: "utf8" });
    assert.equal(status, 2);
    assert.match(stderr, /Unset WALLET_TOKEN/);
    assert.doesNotMatch(stderr, /rail_test_secret/);
  }
});

test("without an environment, uses the default ports on this machine", () => {
  const { DIRECTORY_URL, PANEL_URL, GATEWAY_URL, ROUTER_URL, RAIL_URL, MCP_PORT, HOST } = readConfig(McpConfig, {
    PANEL_URL: "",
  });
  assert.deepEqual(
    [DIRECTORY_URL, PANEL_URL, GATEWAY_URL, ROUTER_URL, RAIL_URL],
    [7002, 7001, 7003, 7004, 7005].map((port) => `http://127.0.0.1:${port}`),
  );
  assert.deepEqual([MCP_PORT, HOST], [7006, "127.0.0.1"]);
});

test("rejects ports that are not whole numbers up to 65535", () => {
  for (const MCP_PORT of ["many", "7006.5", "-1", "70060", "true"])
    assert.throws(() => readConfig(McpConfig, { MCP_PORT }), ConfigError, MCP_PORT);
});
