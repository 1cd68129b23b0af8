import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { readConfig, type Environment } from "@triptych/config";
import { McpConfig } from "../src/config.ts";
import { startHttp } from "../src/http.ts";
import { callText, environmentOf, startFakeService } from "./support/fixture.ts";

async function startServer(environment: Environment) {
  const running = await startHttp({
    config: readConfig(McpConfig, { MCP_PORT: "0", ...environment }),
    allowsWrites: false,
  });
  return { url: running.url, [Symbol.asyncDispose]: () => running.stop() };
}

async function connect(url: string, headers: Readonly<Record<string, string>> = {}) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** `fetch` sets `Host` itself. */
function send(url: string, headers: Readonly<Record<string, string>>, method = "POST") {
  return new Promise<{ readonly status: number; readonly body: { readonly code?: string } }>((resolve, reject) => {
    const json = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const sent = request(url, { method, headers: { ...json, ...headers } }, (response) => {
      const chunks: string[] = [];
      response.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
      response.on("error", reject).on("end", () => {
        const text = chunks.join("");
        resolve({ status: response.statusCode ?? 0, body: text.startsWith("{") ? JSON.parse(text) : {} });
      });
    });
    sent.on("error", reject).end(method === "POST" ? JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) : "");
  });
}

test("serves the official client over Streamable HTTP", async () => {
  await using service = await startFakeService(() => ({ body: { total: 1, items: [{ slug: "rennes" }] } }));
  await using server = await startServer(environmentOf(service.url));
  await using connected = await connect(server.url);
  assert.ok((await connected.client.listTools()).tools.length > 10);
  assert.match((await callText(connected.client, "directory_search")).text, /"slug":"rennes"/);
});

test("forwards each credential of a request to its service only", async () => {
  await using service = await startFakeService(() => ({ body: { items: [], next_cursor: null } }));
  await using server = await startServer(environmentOf(service.url, { PANEL_ACCESS_TOKEN: "pnl_of_the_environment" }));
  const headers = { Authorization: "Bearer pnl_1", "X-API-Key": "dir_test_1", "X-Rail-Wallet": "rail_test_1" };
  await using connected = await connect(server.url, headers);
  for (const name of ["list_repos", "directory_search", "wallet_balance"]) await callText(connected.client, name);
  await using anonymous = await connect(server.url);
  await callText(anonymous.client, "list_repos");
  const sent = service.requests.map(({ headers: { authorization, ...other } }) => [
    authorization,
    other["x-api-key"],
    other["x-rail-wallet"],
  ]);
  assert.deepEqual(sent, [
    ["Bearer pnl_1", undefined, undefined],
    [undefined, "dir_test_1", undefined],
    [undefined, undefined, "rail_test_1"],
    ["Bearer pnl_of_the_environment", undefined, undefined],
  ]);
});

test("forwards a bearer token by its prefix", async () => {
  await using service = await startFakeService(() => ({ body: { items: [], next_cursor: null } }));
  await using server = await startServer(environmentOf(service.url));
  for (const [token, name] of [
    ["dir_live_1", "directory_search"],
    ["rail_live_1", "wallet_balance"],
    ["secret-of-the-router", "list_experts"],
    ["secret-of-the-router", "list_repos"],
  ]) {
    await using connected = await connect(server.url, { Authorization: `Bearer ${token}` });
    await callText(connected.client, name);
  }
  const [directory, rail, router, panel] = service.requests.map(({ headers }) => headers);
  assert.equal(directory["x-api-key"], "dir_live_1");
  assert.equal(rail["x-rail-wallet"], "rail_live_1");
  assert.equal(router.authorization, "Bearer secret-of-the-router");
  assert.equal(panel.authorization, undefined);
});

test("rejects a host that is not loopback with 421", async () => {
  await using server = await startServer({});
  for (const Host of ["evil.test", "evil.test:7006", "127.0.0.1.evil.test", "localhost@evil.test"]) {
    const { status, body } = await send(server.url, { Host });
    assert.deepEqual([status, body.code], [421, "misdirected_request"], Host);
  }
  for (const Host of ["localhost:7006", "[::1]:7006", "127.0.0.1"])
    assert.equal((await send(server.url, { Host })).status, 200, Host);
});

test("rejects a page of another origin with 403", async () => {
  await using server = await startServer({});
  for (const Origin of ["https://evil.test", "null", "http://localhost.evil.test"]) {
    const { status, body } = await send(server.url, { Origin });
    assert.deepEqual([status, body.code], [403, "csrf_failed"], Origin);
  }
  assert.equal((await send(server.url, { Origin: "http://localhost:6274" })).status, 200);
});

test("serves the hosts of MCP_ALLOWED_HOSTS", async () => {
  await using server = await startServer({ MCP_ALLOWED_HOSTS: "mcp.example.test, other.test" });
  assert.equal((await send(server.url, { Host: "MCP.example.test" })).status, 200);
  assert.equal((await send(server.url, { Host: "third.test" })).status, 421);
});

test("rejects other paths with 404 and other methods with 405", async () => {
  await using server = await startServer({});
  const elsewhere = await send(server.url.replace("/mcp", "/.well-known/oauth-protected-resource"), {}, "GET");
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, "not_found"]);
  for (const method of ["GET", "DELETE", "PUT"]) assert.equal((await send(server.url, {}, method)).status, 405, method);
});
