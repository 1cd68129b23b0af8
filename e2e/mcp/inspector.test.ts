/**
 * `npm run e2e:mcp`: the MCP inspector's command line against `triptych mcp` and the real services, over stdio and HTTP.
 * Everything runs on loopback, with a data folder and ports of its own.
 */
import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort, until } from "../processes.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const START = here("../../start.mjs");
const INSPECTOR = here("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const NAMES = ["DIRECTORY", "RAIL", "ROUTER", "GATEWAY", "PANEL"];
const START_TIMEOUT_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), "e2e-mcp-"));
const environment: Record<string, string> = { PATH: process.env["PATH"] ?? "", HOME: folder, TRIPTYCH_DATA: folder };
const children: ChildProcess[] = [];

before(async () => {
  for (const name of NAMES) {
    const port = String(await freePort());
    environment[`${name}_PORT`] = port;
    environment[`${name}_URL`] = `http://127.0.0.1:${port}`;
  }
  environment["MCP_PORT"] = String(await freePort());
  environment["PANEL_EMBEDDED_WORKER"] = "0";
  start("start");
  await until("the services are ready", () => isReady(`${environment["PANEL_URL"]}/readyz`), START_TIMEOUT_MS);
  const { directory, panel, rail } = JSON.parse(readFileSync(join(folder, "credentials.json"), "utf8"));
  environment["DIRECTORY_KEY"] = directory.discovery_key;
  environment["PANEL_ACCESS_TOKEN"] = panel.pro.access_token;
  environment["WALLET_TOKEN"] = rail.demo_wallet_token;
  start("mcp", "--http");
  await until("the MCP server listens", () => isReady(httpUrl()), START_TIMEOUT_MS);
});

after(async () => {
  for (const child of children.toReversed()) {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function start(...args: readonly string[]): void {
  children.push(spawn(process.execPath, [START, ...args], { env: environment, stdio: "ignore" }));
}

async function isReady(url: string): Promise<boolean> {
  return (await fetch(url).catch(() => null)) !== null;
}

const httpUrl = () => `http://127.0.0.1:${environment["MCP_PORT"]}/mcp`;

/** The inspector passes only variables in `-e` on to the server. */
function stdioTarget(...options: readonly string[]): readonly string[] {
  const passed = Object.entries(environment).filter(([name]) => /_(URL|KEY|TOKEN)$/.test(name));
  const variables = passed.flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  return [...variables, process.execPath, START, "mcp", ...options];
}

function inspect(target: readonly string[], ...args: readonly string[]) {
  return new Promise<{ readonly code: number; readonly out: string; readonly err: string }>((resolve) => {
    const command = [INSPECTOR, "--cli", ...target, ...args];
    const child = execFile(process.execPath, command, { env: environment }, (_error, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}

const call = (name: string, ...args: readonly string[]) => [
  "--method",
  "tools/call",
  "--tool-name",
  name,
  ...args.flatMap((pair) => ["--tool-arg", pair]),
];

test("has the documented tools, with schemas that every client accepts", async () => {
  const target = stdioTarget("--allow-writes");
  const { code, out, err } = await inspect(target, "--method", "tools/list", "--strict");
  assert.equal(code, 0, err);
  const { tools }: { readonly tools: readonly { readonly name: string }[] } = JSON.parse(out);
  const rows = readFileSync(here("../../docs/mcp.md"), "utf8").matchAll(
    /^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \| (?:[a-z ]+ `|none)/gm,
  );
  const documented = Array.from(rows, ([, names]) => names.replaceAll("`", "").split(", ")).flat();
  assert.deepEqual(tools.map(({ name }) => name).toSorted(), documented.toSorted());
});

test("calls every read-only tool, over HTTP", async () => {
  for (const args of [
    call("directory_search", "q=prefecture", "limit=1"),
    call("directory_get", "type=place", "slug=rennes"),
    call("directory_facets", 'facets=["type"]'),
    call("directory_usage"),
    call("decide_route", "state=Hello"),
    call("decide_escalation", "state=Hello"),
    call("score_complexity", "state=Hello"),
    call("assess", "state=Hello"),
    call("list_experts"),
    call("list_repos"),
    call("wallet_balance"),
    call("wallet_usage"),
    call("verify_receipt", "receipt=x"),
  ]) {
    const { code, out, err } = await inspect([httpUrl()], ...args);
    assert.equal(code, 0, `${args.join(" ")}\n${out}${err}`);
  }
});

test("reports a problem of a service as a tool error, over stdio", async () => {
  const { code, out } = await inspect(stdioTarget(), ...call("directory_search", "departement=Finister", "limit=500"));
  assert.equal(code, 5);
  assert.match(out, /"isError": true/);
  assert.match(out, /400 validation_failed[^]*\?limit[^]*Did you mean Finist/);
});

test("reads a resource, over HTTP", async () => {
  const { code, out } = await inspect([httpUrl()], "--method", "resources/read", "--uri", "directory://place/rennes");
  assert.equal(code, 0);
  assert.match(out, /\\"slug\\":\\"rennes\\"/);
});
