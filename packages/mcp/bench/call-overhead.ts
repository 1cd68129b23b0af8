/**
 * `npm run bench:mcp`: compares the latency of a tool call with the same API request in the same run. The service is a
 * small HTTP server on loopback, so that nothing else is measured. Rounds alternate, because the load of the machine
 * drifts.
 */
import { fileURLToPath } from "node:url";
import { createClient } from "@triptych/client";
import { getItem } from "@triptych/contracts";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { readConfig } from "@triptych/config";
import { McpConfig } from "../src/config.ts";
import { startHttp } from "../src/http.ts";
import { startFakeService } from "../test/support/fixture.ts";

const ROUNDS = 1_000;
const WARM_UP_ROUNDS = 200;
const BAR_MS = 5;
const START = fileURLToPath(new URL("../../../start.mjs", import.meta.url));
const params = { type: "place", slug: "rennes" } as const;

await using service = await startFakeService(() => ({
  body: { ...params, title: "Rennes", summary: "x".repeat(500) },
}));
const api = createClient({ url: service.url });
const stdio = new Client({ name: "bench", version: "1" });
await stdio.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [START, "mcp"],
    env: { DIRECTORY_URL: service.url },
    stderr: "ignore",
  }),
);
const running = await startHttp({
  config: readConfig(McpConfig, { DIRECTORY_URL: service.url, MCP_PORT: "0" }),
  allowsWrites: false,
});
const http = new Client({ name: "bench", version: "1" });
await http.connect(new StreamableHTTPClientTransport(new URL(running.url)));

const call = { name: "directory_get", arguments: params };
const calls = {
  "plain API": () => api.call(getItem, { params }),
  "MCP over stdio": () => stdio.callTool(call),
  "MCP over HTTP": () => http.callTool(call),
};
const times = new Map<string, number[]>(Object.keys(calls).map((name) => [name, []]));
for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++)
  for (const [name, run] of Object.entries(calls)) {
    const begin = performance.now();
    await run();
    if (round >= WARM_UP_ROUNDS) times.get(name)?.push(performance.now() - begin);
  }
await Promise.all([stdio.close(), http.close()]);
await running.stop();

const plain = p50("plain API");
for (const name of times.keys()) {
  const overhead = p50(name) - plain;
  const verdict = name === "plain API" ? "" : `, overhead ${overhead.toFixed(2)} ms (bar ${BAR_MS} ms)`;
  process.stdout.write(`${name}: p50 ${p50(name).toFixed(2)} ms${verdict}\n`);
}

function p50(name: string): number {
  const sorted = (times.get(name) ?? []).toSorted((first, second) => first - second);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
