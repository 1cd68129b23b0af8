/**
 * promptfoo, unmodified and offline: its HTTP provider asks router and gateway through all three APIs, and its assertions read the choice
 * and its probability. Proxies that nobody serves make every request to another machine fail.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort, startHosted } from "../processes.ts";

const PROMPTFOO = fileURLToPath(new URL("node_modules/promptfoo/dist/src/entrypoint.js", import.meta.url));
const TEXTS = [
  ["What is the weather in Paris tomorrow?", "get_weather"],
  ['Send an email to Bob that says "see you\nat noon"', "send_email"],
  ["how many miles are ten kilometers", "convert_units"],
] as const;
const CRITERIA = {
  get_weather: "weather forecast: rain, sun, temperature",
  send_email: "writes and sends an email",
  convert_units: "converts units such as kilometers and miles",
};

const opened = new AsyncDisposableStack();
after(() => opened.disposeAsync());
let folder = "";
let [router, gateway, wallet] = ["", "", ""];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "e2e-promptfoo-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const ports = [await freePort(), await freePort(), await freePort()].map(String);
  const variables = { RAIL_PORT: ports[0], ROUTER_PORT: ports[1], GATEWAY_PORT: ports[2] };
  opened.use(await startHosted({ TRIPTYCH_DATA: join(folder, "data"), ...variables }));
  [router, gateway] = [`http://127.0.0.1:${ports[1]}`, `http://127.0.0.1:${ports[2]}`];
  wallet = JSON.parse(await readFile(join(folder, "data", "credentials.json"), "utf8")).rail.demo_wallet_token;
});

interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One provider for each API. The output is the choice with its probability. */
function providersOf({ name, url, headers }: Target) {
  const choices = Object.entries(CRITERIA).map(([value, description]) => ({ value, description }));
  const apis = [
    {
      path: "/v1/route",
      body: { state: "{{prompt}}", expert: "tools" },
      answer: "json.route",
      of: "json.probabilities[json.route]",
    },
    {
      path: "/v1/systemone",
      body: { state: "{{prompt}}", questions: { tool: { type: "choice", criteria: CRITERIA } } },
      answer: "json.answers.tool.choice",
      of: "json.answers.tool.probabilities[json.answers.tool.choice]",
    },
    {
      path: "/v1/decisions",
      body: { model: "triptych-1", input: "{{prompt}}", questions: [{ type: "choice", name: "tool", choices }] },
      answer: "json.answers[0].choice",
      of: "Math.max(...json.answers[0].probabilities.map(({ probability }) => probability))",
    },
  ];
  return apis.map(({ path, body, answer, of }) => ({
    id: url + path,
    label: `${name} ${path}`,
    config: {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body,
      transformResponse: `(json) => ({ choice: ${answer}, probability: ${of} })`,
    },
  }));
}

async function evaluate(providers: readonly unknown[]) {
  const [config, output] = [join(folder, "promptfooconfig.json"), join(folder, "results.json")];
  const tests = TEXTS.map(([text, route]) => ({
    vars: { text },
    assert: [{ type: "javascript", value: `output.choice === ${JSON.stringify(route)} && output.probability > 0.5` }],
  }));
  await writeFile(config, JSON.stringify({ prompts: ["{{text}}"], providers, tests }));
  const child = spawn(
    process.execPath,
    [PROMPTFOO, "eval", "-c", config, "-o", output, "--no-cache", "--no-share", "--no-table", "--no-progress-bar"],
    {
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        PROMPTFOO_CONFIG_DIR: folder,
        PROMPTFOO_DISABLE_TELEMETRY: "1",
        PROMPTFOO_DISABLE_UPDATE: "1",
        PROMPTFOO_DISABLE_REMOTE_GENERATION: "true",
        HTTP_PROXY: "http://127.0.0.1:1",
        HTTPS_PROXY: "http://127.0.0.1:1",
        NO_PROXY: "127.0.0.1",
      },
    },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (printed += text.toString()));
  const [code]: unknown[] = await once(child, "close");
  const written = await readFile(output, "utf8").catch(() => assert.fail(printed));
  const { results } = JSON.parse(written);
  return { code, printed, results };
}

test("evaluates router and gateway through all three APIs, offline", async () => {
  const providers = [
    ...providersOf({ name: "router", url: router, headers: {} }),
    ...providersOf({ name: "gateway", url: gateway, headers: { "X-Rail-Wallet": wallet } }),
  ];
  const { code, printed, results } = await evaluate(providers);
  const failed = results.results.filter(({ success }: { success: boolean }) => !success);
  assert.deepEqual(
    failed.map((item: { error: unknown; response: unknown }) => [item.error, item.response]),
    [],
    printed,
  );
  assert.deepEqual([code, results.stats.successes], [0, providers.length * TEXTS.length]);
});

test("reports each request to a gateway as an error if the wallet cannot pay", async () => {
  const { code, results } = await evaluate(providersOf({ name: "gateway", url: gateway, headers: {} }));
  assert.notEqual(code, 0);
  assert.equal(results.stats.successes, 0);
  const errors: string[] = results.results.map(({ error }: { error: unknown }) => String(error));
  assert.ok(
    errors.every((error) => error.includes("402") || error.includes("choice")),
    errors.join("\n"),
  );
});
