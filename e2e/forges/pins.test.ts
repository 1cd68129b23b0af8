import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { memberOf, version } from "./published.ts";

test("uses the pinned client versions", async () => {
  const read = async (path: string): Promise<unknown> =>
    JSON.parse(await readFile(new URL(path, import.meta.url), "utf8"));
  const pins = memberOf(await read("package.json"), "dependencies");
  assert.ok(typeof pins === "object" && pins !== null);
  for (const [name, pinned] of Object.entries(pins))
    assert.equal(memberOf(await read(`node_modules/${name}/package.json`), "version"), pinned, name);
  assert.match(version, /^\d+\.\d+\.\d+$/);
});
