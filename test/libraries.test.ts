import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ENTRIES } from "../libraries.mjs";

const run = promisify(execFile);
const LIBRARIES = fileURLToPath(new URL("../libraries.mjs", import.meta.url));

/** Exports of each entry, and the file they were loaded from. */
const ASK = `
const names = ${JSON.stringify(ENTRIES)};
const given = [];
for (const name of names) given.push([import.meta.resolve(name), Object.keys(await import(name)).sort()]);
console.log(JSON.stringify(given));`;

async function resolveLibraries(before: string): Promise<readonly [string, readonly string[]][]> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", before + ASK], {
    cwd: import.meta.dirname,
    // The tests themselves run with them.
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  return JSON.parse(stdout);
}

test("bundled libraries have the same exports and are loaded from the bundle", async () => {
  await run(process.execPath, [LIBRARIES]);
  const plain = await resolveLibraries("");
  const together = await resolveLibraries(`(await import(${JSON.stringify(LIBRARIES)})).useLibraries();`);
  assert.deepEqual(
    together.map(([, names]) => names),
    plain.map(([, names]) => names),
  );
  for (const [location] of plain) assert.doesNotMatch(location, /\.cache/);
  for (const [location] of together) assert.match(location, /\/\.cache\/libraries\/[0-9a-f]{16}\//);
  // The program may run as another user than the one who installed it.
  const folder = dirname(fileURLToPath(together[0][0]));
  assert.equal((await stat(folder)).mode, (await stat(dirname(folder))).mode);
});
