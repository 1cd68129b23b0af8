/** Test 10 of the contract, "1 M rows under 1 GB of memory", scaled down to the cost per row. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";

interface Growth {
  readonly heap: number;
  readonly all: number;
}

test("an import row costs no heap and at most two hundred bytes, an index item little more", async () => {
  const child = fileURLToPath(new URL("children/memory-growth.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", child], { timeout: 300_000 });
  // The child prints only this.
  const found = JSON.parse(stdout) as { readonly import: Growth; readonly build: Growth };

  // Strings in Maps would take 300 bytes and slow down the collector.
  assert.ok(found.import.heap < 30, `${found.import.heap} bytes of heap a row`);
  assert.ok(found.import.all < 200, `${found.import.all} bytes a row`);
  // Titles are needed for the order; words and numbers are outside the heap.
  assert.ok(found.build.heap < 100, `${found.build.heap} bytes of heap an item`);
  assert.ok(found.build.all < 300, `${found.build.all} bytes an item`);
});
