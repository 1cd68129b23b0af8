/** Relative links of the documentation, checked as the worker's scan checks those of a repository. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { deadLinksOf } from "../apps/worker/src/scouts/reading/dead-links.ts";
import { readFolder } from "../apps/worker/src/scouts/reading/tree.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENTS = ["*.md", "{docs,notes}/**/*.md", "{apps,packages,services,examples}/*/README.md"];

test("every relative link of the documentation leads to a file and a heading", async () => {
  const tree = await readFolder(ROOT);
  const dead: string[] = [];
  const names = globSync(DOCUMENTS, { cwd: ROOT });
  for (const name of names)
    for (const { target, line } of await deadLinksOf(tree, name)) dead.push(`${name}:${line}: ${target}`);
  assert.deepEqual(dead, []);
  assert.ok(names.length > 60);
});
