/** Clients that openapi-typescript generates: types of the resources by name, and valid TypeScript. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const MODULES = fileURLToPath(new URL("node_modules/", import.meta.url));
const USES: Readonly<Record<string, readonly string[]>> = {
  directory: ["Item", "ItemsPage"],
  gateway: ["RouteDecision", "Head"],
  panel: ["Repo", "Run", "Candidate", "Worker"],
  rail: ["Wallet", "Charge", "Entry", "Receipt"],
  router: ["RouteDecision", "Head"],
};

test("generated TypeScript has the resources by name and compiles", { timeout: 300_000 }, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-types-"));
  try {
    const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, [...args], { cwd: folder });
    for (const [service, names] of Object.entries(USES)) {
      const document = fileURLToPath(new URL(`../../openapi/${service}.json`, import.meta.url));
      const output = join(folder, `${service}.ts`);
      await run(join(MODULES, "openapi-typescript/bin/cli.js"), document, "--output", output);
      const text = await readFile(output, "utf8");
      for (const name of names) assert.match(text, new RegExp(`^ {8}${name}: `, "m"), `${service}: ${name}`);
      context.diagnostic(`${service}: ${text.split("\n").length} lines`);
      const uses = names.map((name) => `export type Used${name} = components["schemas"]["${name}"];`).join("\n");
      await writeFile(
        join(folder, `${service}-use.ts`),
        `import type { components } from "./${service}.ts";\n${uses}\n`,
      );
    }
    const options = ["--noEmit", "--strict", "--allowImportingTsExtensions", "--module", "nodenext"];
    const files = Object.keys(USES).map((service) => `${service}-use.ts`);
    await run(join(MODULES, "typescript/bin/tsc"), ...options, ...files);
  } finally {
    await rm(folder, { recursive: true });
  }
});
