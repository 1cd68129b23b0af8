/** Before Node 24, package managers silently install older majors without decisions. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { open } from "./counterparts.ts";
import { memberOf } from "./reading.ts";
import { openAiAt } from "./stacks.ts";

test("uses the pinned client versions on Node 24", async () => {
  const read = async (path: string): Promise<unknown> =>
    JSON.parse(await readFile(new URL(path, import.meta.url), "utf8"));
  const pins = memberOf(await read("package.json"), "dependencies");
  assert.ok(typeof pins === "object" && pins !== null);
  for (const [name, version] of Object.entries(pins))
    assert.equal(memberOf(await read(`node_modules/${name}/package.json`), "version"), version, name);
  assert.match(process.version, /^v24\./);
  assert.equal(typeof openAiAt(open).decisions.create, "function");
});
