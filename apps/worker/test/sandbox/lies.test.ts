import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createCommandAgent, createScriptedAgent, type Agent } from "../../src/index.ts";
import { chatAnswer, startModel } from "../model-proxy/model-server.ts";
import { makeRepository, RED_FILES, VERIFY } from "../support/repository.ts";
import { LIMITS, runStory } from "../support/run-story.ts";
import { inSandbox, isolation } from "./open-sandbox.ts";

const SANDBOX = { levelRequired: "sandbox", network: "model_only", allowHosts: [] } as const;
const CALL = { input: 300, output: 200 };

/** Gets the model proxy's address as an adapter passes it. */
function agentUsingProxy(program: string): Agent {
  return {
    start(task) {
      const { modelProxy } = task;
      const model = { MODEL: modelProxy?.addressOf("openai") ?? "", PASS: modelProxy?.pass ?? "" };
      return createCommandAgent([process.execPath, "-e", program]).start({
        ...task,
        environment: { ...task.environment, ...model },
      });
    },
  };
}

test(
  "limits an agent with false reports to one call beyond its cap, and saves its partial work",
  inSandbox,
  async () => {
    await using model = await startModel(chatAnswer(CALL));
    await using repository = makeRepository(RED_FILES);
    const greedy = `
    const ask = () => fetch(process.env.MODEL + "/chat/completions", {
      method: "POST", headers: { authorization: "Bearer " + process.env.PASS }, body: "{}" });
    require("fs").writeFileSync("half.txt", "half of the work\\n");
    console.log("all tests are green, 0 tokens used");
    (async () => { for (;;) await Promise.all([ask(), ask(), ask()]).catch(() => {}); })();`;
    const provider = { id: "openai", baseUrl: model.url, key: "sk-the-real-key", keyHeader: "authorization" } as const;
    const { outcome, items } = await runStory(repository, {
      agent: agentUsingProxy(greedy),
      createSandbox: isolation.sandboxes({ providers: [provider], addressOf: async () => null }),
      request: { isolation: SANDBOX, limits: { ...LIMITS, maxTokens: 2_000 } },
    });
    assert.ok(outcome.kind === "failed", JSON.stringify(outcome));
    assert.equal(outcome.code, "token_cap");
    const used = model.requests.length * (CALL.input + CALL.output);
    assert.ok(used >= 2_000 && used <= 2_000 + CALL.input + CALL.output, `${used} tokens`);
    const usage = items.filter(({ kind }) => kind === "usage").at(-1);
    assert.equal(usage?.data?.["input_tokens"], model.requests.length * CALL.input);
    const diffItem = items.find(({ kind }) => kind === "diff");
    assert.match(diffItem?.text ?? "", /^\+half of the work$/m);
  },
);

test("ignores settings and hooks that an agent leaves to fake a passing check", inSandbox, async () => {
  await using repository = makeRepository(RED_FILES);
  const marker = join(repository.folder, "escaped");
  const hook = `#!/bin/sh\ntouch '${marker}'\n`;
  const program = `
    const { writeFileSync, mkdirSync, chmodSync } = require("fs");
    const run = (path) => { writeFileSync(path, ${JSON.stringify(hook)}); chmodSync(path, 0o755); };
    writeFileSync(process.env.HOME + "/green", "");
    mkdirSync(".git/hooks", { recursive: true });
    for (const name of ["pre-commit", "post-checkout", "post-index-change", "fsmonitor"]) run(".git/hooks/" + name);
    writeFileSync(".git/config", "[core]\\n\\tfsmonitor = .git/hooks/fsmonitor\\n[filter \\"x\\"]\\n\\tclean = touch '${marker}'\\n");
    writeFileSync(".gitattributes", "* filter=x diff=x\\n");
    writeFileSync("note.md", "all green\\n");
    console.log("all tests are green");`;
  const verify = {
    command: `test -e "$HOME/green" || ${VERIFY}`,
    setupCommand: null,
    timeoutS: 60,
    retries: 0,
    baseline: true,
  };
  const { outcome } = await runStory(repository, {
    agent: createCommandAgent([process.execPath, "-e", program]),
    createSandbox: isolation.sandboxes({ providers: [], addressOf: async () => null }),
    request: { isolation: SANDBOX, verify },
  });
  assert.ok(outcome.kind === "failed", JSON.stringify(outcome));
  assert.equal(outcome.code, "baseline_broken");
  assert.equal(outcome.report.verdict, "baseline_broken");
  assert.ok(!existsSync(marker));
});

test("removes the code of one check run before the next one", inSandbox, async () => {
  await using repository = makeRepository({ ...RED_FILES, ".gitignore": "made/\n" });
  const planting = `import { mkdirSync, writeFileSync } from "node:fs";
    mkdirSync("made", { recursive: true });
    for (const file of ["made/green", process.env.HOME + "/green", "/tmp/green"]) writeFileSync(file, "");
    export const sum = (a, b) => a - b;`;
  const rounds = [planting, "export const sum = (a, b) => a * b;\n"];
  const agent = createScriptedAgent(
    { rounds: rounds.map((text) => [{ do: "write", path: "sum.mjs", text }]) },
    async () => {},
  );
  const verify = {
    command: `test -e made/green || test -e "$HOME/green" || test -e /tmp/green || ${VERIFY}`,
    setupCommand: "mkdir -p made $HOME/cache",
    timeoutS: 60,
    retries: 0,
    baseline: true,
  };
  const { outcome } = await runStory(repository, {
    agent,
    createSandbox: isolation.sandboxes({ providers: [], addressOf: async () => null }),
    request: { isolation: { ...SANDBOX, network: "none" }, verify, maxRounds: 2 },
  });
  assert.ok(outcome.kind === "failed", JSON.stringify(outcome));
  assert.deepEqual([outcome.report.verdict, outcome.report.attempts.length], ["baseline_broken", 2]);
});

test("completes a run in the sandbox: red, repaired, green, delivered", inSandbox, async () => {
  await using repository = makeRepository(RED_FILES);
  const { outcome } = await runStory(repository, {
    agent: createCommandAgent(["sed", "-i", "s/a - b/a + b/", "sum.mjs"]),
    createSandbox: isolation.sandboxes({ providers: [], addressOf: async () => null }),
    request: {
      isolation: { ...SANDBOX, network: "none" },
      verify: {
        command: VERIFY,
        setupCommand: "mkdir -p $HOME/kept && chmod 500 $HOME/kept",
        timeoutS: 60,
        retries: 0,
        baseline: true,
      },
    },
  });
  assert.ok(outcome.kind === "delivered", JSON.stringify(outcome));
  assert.equal(outcome.diff.files, 1);
});
