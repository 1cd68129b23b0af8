import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { detectIsolation } from "../../src/sandbox/isolation.ts";
import { startModel } from "../model-proxy/model-server.ts";
import { makeRepository, RED_FILES } from "../support/repository.ts";
import { NO_MODELS } from "../support/no-models.ts";
import { runStory } from "../support/run-story.ts";
import { inSandbox, machine, openSandbox } from "./open-sandbox.ts";
import { createCommandAgent } from "../../src/index.ts";

/** A machine whose kernel forbids user namespaces. */
async function onBareMachine<T>(act: (there: typeof machine) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "bare-"));
  const refusal = "bwrap: No permissions to create a new namespace";
  for (const name of ["bwrap", "prlimit"])
    writeFileSync(join(folder, name), `#!/bin/sh\necho '${refusal}' >&2\nexit 1\n`, { mode: 0o755 });
  try {
    return await act({ ...machine, path: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("reports why a sandbox cannot be built, and refuses assignments that need one", async () => {
  await onBareMachine(async (bare) => {
    const { level, lacks, sandboxes } = await detectIsolation("auto", bare);
    assert.equal(level, "worktree");
    assert.match(lacks ?? "", /cannot create a sandbox here: bwrap: No permissions to create a new namespace/);
    await assert.rejects(
      detectIsolation("sandbox", bare),
      /--isolation sandbox: bubblewrap cannot create a sandbox here/,
    );

    await using repository = makeRepository(RED_FILES);
    const { outcome, items } = await runStory(repository, {
      agent: createCommandAgent(["sh", "-c", "echo the agent began"]),
      createSandbox: sandboxes(NO_MODELS),
      request: { isolation: { levelRequired: "sandbox", network: "none", allowHosts: [] } },
    });
    assert.ok(outcome.kind === "failed");
    assert.equal(outcome.code, "isolation_unavailable");
    assert.deepEqual(items, []);
  });
});

test("names missing requirements, and accepts a lower requested level", async () => {
  const { lacks } = await detectIsolation("auto", { ...machine, path: "/nowhere" });
  assert.match(lacks ?? "", /bubblewrap is not installed/);
  const preferred = await detectIsolation("worktree", machine);
  assert.deepEqual([preferred.level, preferred.lacks], ["worktree", null]);
});

test("applies the network policy: no network with `none`, the machine's network with `open`", inSandbox, async () => {
  await using service = await startModel((_, response) => void response.end("of the machine\n"));
  const provider = { id: "openai", baseUrl: service.url, key: null, keyHeader: "authorization" } as const;
  const models = { providers: [provider], addressOf: async () => null };
  await using none = await openSandbox({ network: "none", models });
  assert.deepEqual([none.factory.network, none.factory.modelProxy], ["none", null]);
  await using open = await openSandbox({ network: "open", models });
  assert.equal(open.factory.network, "open");
  assert.notEqual(open.factory.modelProxy, null);
  const visit = `"${process.execPath}" -e 'fetch("${service.url}").then((a) => a.text()).then(console.log)'`;
  const { output } = await open.run(`${visit}; cat /etc/shadow`);
  assert.match(output, /^of the machine\n[^]*shadow: No such file/);
});
