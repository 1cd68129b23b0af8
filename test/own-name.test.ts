import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const SHIPPED = ["README.md", "docs", "apps", "services", "packages", "openapi"];
const SKIPPED = new Set(["node_modules", "dist", "artifacts"]);
const TEXT = /\.(md|ts|tsx|mjs|js|json|html)$/;

/**
 * Without a clone, `npx triptych` would download a foreign package; an argument exposes the key in the process list.
 */
const FORBIDDEN = [/npx\s+(--yes\s+|-y\s+)?triptych/, /--token[ =]["']?(\$|lic_)/];

function* texts(path: string): Generator<readonly [string, string]> {
  for (const entry of readdirSync(join(ROOT, path), { withFileTypes: true })) {
    const name = join(path, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* texts(name);
    else if (entry.isFile() && TEXT.test(entry.name)) yield [name, readFileSync(join(ROOT, name), "utf8")];
  }
}

test("documents, screens and sources use no foreign npm package and no key in an argument", () => {
  const all = SHIPPED.flatMap((path) =>
    path.endsWith(".md") ? [[path, readFileSync(join(ROOT, path), "utf8")] as const] : [...texts(path)],
  );
  const found = all.flatMap(([path, text]) =>
    FORBIDDEN.filter((form) => form.test(text)).map((form) => `${path}: ${form}`),
  );
  assert.deepEqual(found, []);
});

test("the CLI help uses neither", async () => {
  for (const args of [["--help"], ["worker", "--help"]]) {
    const { stdout: text } = await run(process.execPath, [join(ROOT, "start.mjs"), ...args], { cwd: ROOT });
    assert.match(text, /Usage: triptych/);
    for (const form of FORBIDDEN) assert.doesNotMatch(text, form, args.join(" "));
  }
});
