import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { startForge } from "@triptych/fake-forge";
import { createCommandAgent } from "../src/index.ts";
import { makeRepository, RED_FILES } from "./support/repository.ts";
import { runStory } from "./support/run-story.ts";

const TOKEN = "token-of-this-run";

test("sends the bearer token of a clone over HTTP, stores it in no file, and fails on a wrong one", async () => {
  await using repository = makeRepository(RED_FILES);
  await using forge = await startForge({ folder: join(repository.folder, "forge"), token: TOKEN });
  const address = `${forge.url}/acme/sum.git`;
  const pushTo = address.replace("http://", `http://any:${TOKEN}@`);
  await promisify(execFile)("git", ["-C", repository.bare, "push", "--quiet", pushTo, "main"]);

  const agent = createCommandAgent(["/bin/sh", "-c", "env; sed -i 's/a - b/a + b/' sum.mjs"]);
  const clone = { repository: "sum", url: address, branch: "main", sha: repository.sha, bearer: "a-wrong-token" };
  const wrong = await runStory(repository, { agent, request: { clone } });
  assert.ok(wrong.outcome.kind === "failed");
  assert.equal(wrong.outcome.code, "clone_failed");
  assert.ok(!wrong.outcome.message.includes("a-wrong-token"));

  const { outcome, items } = await runStory(repository, { agent, request: { clone: { ...clone, bearer: TOKEN } } });
  assert.equal(outcome.kind, "delivered");
  assert.ok(!JSON.stringify(items).includes(TOKEN));
  for (const folder of ["mirrors", "run"])
    for (const entry of readdirSync(join(repository.folder, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) assert.ok(!readFileSync(join(entry.parentPath, entry.name)).includes(TOKEN), entry.name);
});
