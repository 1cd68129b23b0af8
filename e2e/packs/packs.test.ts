/**
 * Tests the published packages as a new user gets them: `npm run build`, `npm pack`, an install into an empty folder, and the
 * command on Node 24 and on the oldest supported Node. Needs a package registry: `npm run e2e:packs`.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { clientProgram } from "./client-program.ts";
import { startInstalled, type Installed } from "./installed.ts";

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "stranger", version: "1" },
};
const OLDEST_NODE = "22.19.0";
/** Other runtimes of the client, by command. */
const RUNTIMES = { node: "node@20.19.5", bun: "bun@1.4.5", deno: "deno@2.9.6" };
const PACKAGES = ["contracts", "client", "mcp", "cli"];

let folder = "";

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "triptych-packs-"));
  await exec("npm", ["run", "build"], { cwd: ROOT });
  for (const name of PACKAGES)
    await exec("npm", ["pack", "--pack-destination", folder], { cwd: join(ROOT, "dist", name) });
  const packs = (await readdir(folder)).map((name) => join(folder, name));
  // Installed separately, because the command must not need the libraries.
  await install(
    "command",
    packs.filter((path) => /-cli-\d/.test(path)),
  );
  await install(
    "library",
    packs.filter((path) => !/-cli-\d/.test(path)),
  );
  await install("runtimes", ["--foreground-scripts", ...Object.values(RUNTIMES)]);
  await install("oldest", ["--foreground-scripts", `node@${OLDEST_NODE}`]);
});
async function install(name: string, what: readonly string[]): Promise<void> {
  const cwd = join(folder, name);
  await mkdir(cwd);
  await writeFile(join(cwd, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  await exec("npm", ["install", "--no-audit", "--no-fund", ...what], { cwd });
}

after(() => rm(folder, { recursive: true, force: true }));

test("packs contain their license, and no test, bench or TypeScript source of a service", async () => {
  for (const name of PACKAGES) {
    const installed = join(folder, name === "cli" ? "command" : "library", "node_modules/@triptych", name);
    const files = await readdir(installed, { recursive: true });
    assert.ok(files.includes("LICENSE") && files.includes("package.json"), name);
    assert.deepEqual(
      files.filter((file) => /(^|\/)(test|bench|chaos)\/|(?<!\.d)\.ts$/.test(file) && !file.includes("/demo/")),
      [],
    );
  }
});

for (const [title, node] of [
  ["this Node", () => process.execPath],
  [`Node ${OLDEST_NODE}`, () => join(folder, "oldest/node_modules/node/bin/node")],
] as const) {
  describe(`the installed command on ${title}`, () => {
    let product: Installed;
    before(async () => {
      product = await startInstalled({ node: node(), folder: join(folder, "command") });
    });
    after(() => product.stop());

    test("serves the sample of the directory", async () => {
      const { url, pro_key: key } = product.credentials.directory;
      const response = await fetch(`${url}/api/items?near=48.11,-1.68&radius=50`, { headers: { "X-API-Key": key } });
      const body = JSON.parse(await response.text());
      assert.deepEqual([response.status, body.items[0].slug], [200, "rennes"]);
    });

    test("charges a decision, and verifies its receipt offline", async () => {
      const { gateway, rail } = product.credentials;
      const response = await fetch(`${gateway.url}/v1/route`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Rail-Wallet": rail.demo_wallet_token },
        body: JSON.stringify({ state: "What is the weather in Paris tomorrow?" }),
      });
      const body = await response.text();
      assert.deepEqual([response.status, JSON.parse(body).route], [200, "get_weather"]);
      const file = join(product.data, "response.json");
      await writeFile(file, body);
      const jwks = `${rail.url}/.well-known/jwks.json`;
      const receipt = response.headers.get("x-rail-receipt") ?? "";
      const verified = await product.run(["rail", "receipt", "verify", receipt, "--jwks", jwks, "--body", file]);
      assert.match(verified, /^Valid, and it matches the response/);
    });

    test("runs the demo on its own worker until the branch is pushed", async () => {
      const { url, pro } = product.credentials.panel;
      const headers = { Authorization: `Bearer ${pro.access_token}` };
      const states = await product.until(async () => {
        const { items } = JSON.parse(await (await fetch(`${url}/api/runs`, { headers })).text());
        const found = items.map(({ state }: { state: string }) => state).sort();
        return (
          found.length === 2 &&
          found.every((state: string) => ["pushed", "succeeded", "failed"].includes(state)) &&
          found
        );
      });
      assert.deepEqual(states, ["pushed", "succeeded"]);
      assert.match(await (await fetch(url)).text(), /<div id="root">/);
    });

    test("offers the services to an agent, from its own package as well", async () => {
      const lines = ["initialize", "tools/list"].map((method, id) =>
        JSON.stringify({ jsonrpc: "2.0", id, method, params: INITIALIZE }),
      );
      for (const program of ["cli/start.mjs", "mcp/src/bin.js"]) {
        const installed = join(folder, program.startsWith("cli") ? "command" : "library", "node_modules/@triptych");
        const args = [join(installed, program), ...(program.startsWith("cli") ? ["mcp"] : [])];
        const { stdout } = spawnSync(node(), args, { input: `${lines.join("\n")}\n`, encoding: "utf8" });
        assert.match(stdout, /"name":"directory_search"/, program);
      }
    });

    test("serves the examples of the client's README on Node 20, Bun and Deno", async () => {
      const { directory, gateway, rail, panel } = product.credentials;
      const env = {
        PATH: process.env["PATH"],
        DIRECTORY_KEY: directory.pro_key,
        PANEL_ACCESS_TOKEN: panel.pro.access_token,
        WALLET_TOKEN: rail.demo_wallet_token,
      };
      const urls = { 7001: panel.url, 7002: directory.url, 7003: gateway.url, 7005: rail.url };
      await writeFile(join(folder, "library/readme.mjs"), await clientProgram(urls));
      for (const command of Object.keys(RUNTIMES)) {
        const program = join(folder, "runtimes/node_modules/.bin", command);
        const args = command === "deno" ? ["run", "-A", "readme.mjs"] : ["readme.mjs"];
        const { stdout } = await exec(program, args, { cwd: join(folder, "library"), env });
        assert.match(stdout, /\nget_weather 0\.\d+\nvalid\n(.*\n)*succeeded\nNo such run\.\n$/, command);
      }
    });

    test("prints its help, and one sentence for a mistake", async () => {
      assert.match(await product.run(["--help"]), /^Usage: triptych/);
      await assert.rejects(product.run(["start", "nothing"]), { code: 2 });
    });
  });
}

test("the client and its types work in a user's program", async () => {
  await writeFile(
    join(folder, "library", "program.ts"),
    `import { createClient, verifyReceipt, type Client } from "@triptych/client";
import { getItems } from "@triptych/contracts";
const client: Client = createClient({ url: "http://127.0.0.1:1" });
export const sent: Promise<{ readonly body: { readonly total: number } }> = client.call(getItems, { query: { limit: 1 } });
export const verify: typeof verifyReceipt = verifyReceipt;
`,
  );
  const options = { strict: true, noEmit: true, module: "nodenext", target: "es2023", types: [], skipLibCheck: false };
  await writeFile(
    join(folder, "library", "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, files: ["program.ts", "readme.ts"] }),
  );
  const examples = { 7001: "http://a.test", 7002: "http://b.test", 7003: "http://c.test", 7005: "http://d.test" };
  const types = "declare const process: { readonly env: Readonly<Record<string, string | undefined>> };\n";
  await writeFile(join(folder, "library", "readme.ts"), types + (await clientProgram(examples)));
  await exec(join(ROOT, "node_modules/.bin/tsc"), ["-p", join(folder, "library")]);
  const declared = await readFile(join(folder, "library/node_modules/@triptych/client/src/index.d.ts"), "utf8");
  assert.match(declared, /createClient/);
});
