/** Test 10 of the contract, "1 M rows under 1 GB of memory", in small: what a further row costs. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";

interface Growth {
  readonly heap: number;
  readonly all: number;
}

test("a further row of an import costs nothing in the heap and two hundred bytes at most, a further item of an index little more", async () => {
  const child = fileURLToPath(new URL("children/memory-growth.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", child], { timeout: 60_000 });
  // The child prints nothing else.
  const found = JSON.parse(stdout) as { readonly import: Growth; readonly build: Growth };

  // Strings in maps would be 300 bytes, and the collector's to walk.
  assert.ok(found.import.heap < 30, `${found.import.heap} bytes of heap a row`);
  assert.ok(found.import.all < 200, `${found.import.all} bytes a row`);
  // The titles, until their order is known; words and numbers stand outside.
  assert.ok(found.build.heap < 100, `${found.build.heap} bytes of heap an item`);
  assert.ok(found.build.all < 300, `${found.build.all} bytes an item`);
});
