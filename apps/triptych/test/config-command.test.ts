import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { exampleFile, withReference } from "../src/settings-text.ts";
import { loadSettings, mergeVariables } from "../src/settings.ts";

const PROGRAM = fileURLToPath(new URL("../../../start.mjs", import.meta.url));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const { PATH = "", HOME = "" } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, "config", ...args],
      { env: { PATH, HOME, ...environment } },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

test("prints each variable with value, source, services and meaning, and masks secrets", async () => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-config-"));
  await writeFile(join(folder, "secret-key"), "planted");
  const { code, stdout, stderr } = await run(["--json"], {
    TRIPTYCH_DATA: folder,
    PANEL_PORT: "0",
    ROUTER_TOKEN: "planted-0123456789",
    DATABASE_URL: "postgres://me:planted@db/triptych",
    PANEL_PROT: "planted",
  });
  await rm(folder, { recursive: true });
  assert.equal(code, 0, stderr);
  const { variables, issues, unknown } = JSON.parse(stdout);
  const found = (name: string) => variables.find((one: { readonly name: string }) => one.name === name);
  assert.deepEqual(issues, []);
  assert.deepEqual(unknown, ["PANEL_PROT"]);
  assert.deepEqual(found("PANEL_PORT"), {
    name: "PANEL_PORT",
    value: "0",
    source: "environment",
    services: ["panel"],
    meaning: "port to listen on; 0 for any free port",
    default: "7001",
    valid: true,
  });
  assert.equal(found("TRIPTYCH_SECRET").source, "file");
  assert.deepEqual(found("TRIPTYCH_SECRET").services, ["panel", "gateway", "rail"]);
  assert.equal(found("DATABASE_URL").value, "postgres://me:********@db/triptych");
  assert.equal(found("LOG_LEVEL").source, "default");
  assert.ok(!(stdout + stderr).includes("planted"));
});

test("lists all invalid variables at once without their values, and exits with 2", async () => {
  const environment = {
    PANEL_PORT: "planted",
    PANEL_PRICES: "planted",
    DIRECTORY_PRICE_TIERS: "planted",
    NODE_ENV: "production",
    RAIL_PROVIDER: "planted",
  };
  const all = await run([], environment);
  assert.equal(all.code, 2);
  for (const name of ["PANEL_PORT", "PANEL_PRICES", "DIRECTORY_PRICE_TIERS", "TRIPTYCH_SECRET", "RAIL_PROVIDER"])
    assert.match(all.stderr, new RegExp(`^  ${name}: `, "m"), name);
  assert.ok(!(all.stdout + all.stderr).includes("planted"));
  const router = await run(["router"], environment);
  assert.equal(router.code, 0, router.stderr);
  assert.match(router.stdout, /^ {2}ROUTER_PORT +7004 +default +port/m);
  assert.ok(!router.stdout.includes("PANEL_PORT"));
  assert.equal((await run(["router", "kitchen"])).code, 2);
});

test("loads no server", async () => {
  const list = new URL("../../../test/support/list-modules.mjs", import.meta.url);
  const folder = await mkdtemp(join(tmpdir(), "triptych-config-"));
  const file = join(folder, "modules");
  const { code } = await run([], { NODE_OPTIONS: `--import ${list.href}`, MODULE_LIST: file });
  const loaded = await readFile(file, "utf8");
  await rm(folder, { recursive: true });
  assert.equal(code, 0);
  assert.match(loaded, /services\/panel\/src\/config\.ts/);
  for (const library of ["fastify", "kysely", "pg", "ws", "undici"])
    assert.ok(!loaded.includes(`/node_modules/${library}/`), library);
});

test(".env.example and docs/operators.md match the variables", async () => {
  const variables = mergeVariables(await loadSettings());
  const file = (name: string) => readFile(new URL(`../../../${name}`, import.meta.url), "utf8");
  assert.equal(await file(".env.example"), exampleFile(variables));
  const page = await file("docs/operators.md");
  assert.equal(page, withReference(page, variables));
});
