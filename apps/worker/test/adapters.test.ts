import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { assert as assertProperty, property, integer } from "fast-check";
import { acpByName } from "../src/agents/acp-by-name.ts";
import { answerPermission } from "../src/agents/acp-permission.ts";
import { CLIS, type AnyCli } from "../src/agents/clis.ts";
import { codex } from "../src/agents/codex.ts";
import { createLines } from "../src/agents/lines.ts";
import { toAgentError } from "../src/agents/agent-errors.ts";
import type { AgentItem, AgentTask } from "../src/agents/agent.ts";
import type { Beginning } from "../src/agents/cli.ts";
import { child, TASK, workWith } from "./support/agent-task.ts";

const recording = (name: string) => fileURLToPath(new URL(`recordings/${name}.jsonl`, import.meta.url));
const COMMAND = "sed -i 's/a - b/a + b/' sum.mjs && echo ok";
const DONE: AgentItem = { kind: "message", text: "Done: the sum adds." };

/** Usage of two calls of the scripted model: each a thousand tokens read, a tenth of them cached, and fifty written. */
const BOTH = { inputTokens: 2_000, cachedTokens: 200, outputTokens: 100, turns: 2, costMicro: null };

const expected: Readonly<Record<string, { readonly call: string; readonly usage: object; readonly result?: RegExp }>> =
  {
    codex: { call: `/bin/bash -lc "${COMMAND}"`, usage: BOTH, result: /^ok\n\[exit 0\]$/ },
    claude: { call: `Bash ${COMMAND}`, usage: { ...BOTH, costMicro: 9_240 }, result: /^ok$/ },
    pi: { call: `bash ${COMMAND}`, usage: BOTH, result: /^ok\n$/ },
    cline: { call: `run_commands {"commands":["${COMMAND}"]}`, usage: BOTH, result: /^ok\n$/ },
    // It reports neither command output nor cached tokens.
    gemini: { call: COMMAND, usage: { ...BOTH, cachedTokens: 0 } },
    // It reports only the last call, so the model proxy counts.
    opencode: {
      call: COMMAND,
      usage: { ...BOTH, inputTokens: 1_000, cachedTokens: 100, outputTokens: 50 },
      result: /^ok\n$/,
    },
    qwen: { call: COMMAND, usage: BOTH, result: /^Command: sed .*Output: ok/s },
  };

for (const cli of CLIS)
  test(`parses a recording of ${cli.name} into a tool call, its result, a message and usage`, async () => {
    const { items, end, usage } = await workWith(cli, { argv: child("recorded-agent", recording(cli.name)) });
    const { call, result, usage: used } = expected[cli.name];
    const reported = items.filter(({ kind }) => kind !== "log");
    assert.deepEqual(reported[0], { kind: "tool_call", text: call });
    if (result !== undefined) {
      assert.equal(reported[1].kind, "tool_result");
      assert.match(reported[1].text, result);
    }
    assert.deepEqual(reported.at(-1), DONE);
    assert.equal(reported.length, result === undefined ? 2 : 3);
    assert.deepEqual(end, { kind: "done", exitCode: 0, error: null });
    assert.deepEqual(usage, used);
  });

/** How it would be started. */
function begin(cli: AnyCli, changes: Partial<AgentTask>): Beginning {
  const way = { address: "http://127.0.0.1:9/model", pass: "pass-of-this-run" };
  return cli.begin({ ...TASK, prompt: "--help; $(id)", ...changes }, way);
}

test("passes the task by file or stdin if the CLI can read it, else after the last option", () => {
  for (const cli of CLIS) {
    const { args, input } = begin(cli, {});
    const index = args.indexOf("--help; $(id)");
    assert.ok(index === -1 || args[index - 1] === "--", cli.name);
    assert.ok(index !== -1 || input === "--help; $(id)" || "auth" in cli, cli.name);
  }
});

test("restricts read-only roles by each CLI's options or its session mode", () => {
  const readOnlyArgs: Readonly<Record<string, string>> = {
    codex: "read-only",
    claude: "Read,Glob,Grep",
    pi: "read,grep,find,ls",
    cline: "--plan",
    opencode: '"edit":"deny"',
  };
  for (const cli of CLIS) {
    const [ro, rw] = (["ro", "rw"] as const).map((mode) => JSON.stringify(begin(cli, { mode })).replaceAll("\\", ""));
    const expectedArg = readOnlyArgs[cli.name];
    if (expectedArg === undefined) assert.ok("modes" in cli && cli.modes.ro === "plan", cli.name);
    else assert.ok(ro.includes(expectedArg) && !rw.includes(expectedArg), cli.name);
  }
  // Its own sandbox cannot be nested in another one.
  assert.ok(begin(codex, { mode: "ro", isShutIn: true }).args.includes("danger-full-access"));
});

test("starts a CLI with the run's token and the model proxy's address, never with a key", () => {
  for (const cli of CLIS) {
    const beginning = JSON.stringify(begin(cli, {}));
    assert.ok(beginning.includes("pass-of-this-run") && beginning.includes("http://127.0.0.1:9/model"), cli.name);
    assert.doesNotMatch(JSON.stringify(begin(cli, {}).args), /pass-of-this-run/);
  }
});

const acp = acpByName("own", ["program"]);
const edit = (path: string) => ({ toolCallId: "t1", kind: "edit", title: "Edit", locations: [{ path }] });

test("grants an agent's permission request once inside the tree, and never a write to a reader", async () => {
  const ask = async (mode: "rw" | "ro", call: object) => {
    const argv = child("acp-agent", "ask", JSON.stringify(call));
    const { items, end } = await workWith(acp, { argv, mode, tree: "/the/tree" });
    assert.deepEqual(end, { kind: "done", exitCode: 0, error: null });
    return items.at(-1)?.text;
  };
  assert.deepEqual(
    await Promise.all([
      ask("rw", edit("/the/tree/sum.mjs")),
      ask("rw", edit("/the/tree/../home/.ssh/key")),
      ask("ro", edit("/the/tree/sum.mjs")),
    ]),
    ["chose allow_once", "chose reject_once", "chose reject_once"],
  );
});

test("decides a reader's permission by tool kind, and a writer's by every named path", () => {
  const options = [
    { kind: "allow_once", optionId: "yes" },
    { kind: "reject_once", optionId: "no" },
  ];
  const chosen = (mode: "rw" | "ro", toolCall: object) =>
    JSON.stringify(answerPermission({ toolCall, options }, { mode, tree: "/t" })).match(/yes|no\b/)?.[0];
  for (const kind of ["read", "search", "think"]) assert.equal(chosen("ro", { kind }), "yes", kind);
  for (const kind of ["edit", "delete", "move", "execute", "fetch", "other", "new"])
    assert.equal(chosen("ro", { kind }), "no", kind);
  assert.equal(chosen("ro", {}), "no");
  assert.equal(chosen("rw", { kind: "execute" }), "yes");
  for (const path of ["/t", "/t/a", "a/b", "./..a"]) assert.equal(chosen("rw", edit(path)), "yes", path);
  for (const path of ["/", "/tt/a", "../a", "a/../../b"]) assert.equal(chosen("rw", edit(path)), "no", path);
  assert.equal(chosen("rw", { content: [{ type: "diff", path: "/etc/passwd" }] }), "no");
  const none = answerPermission({ toolCall: { kind: "edit" }, options: [] }, { mode: "rw", tree: "/t" });
  assert.deepEqual(none, { outcome: { outcome: "cancelled" } });
});

test("asks a cancelled agent to stop, and kills one that does not", async () => {
  for (const habit of ["patient", "deaf"]) {
    const { end } = await workWith(acp, { argv: child("acp-agent", habit), cancels: true });
    assert.deepEqual(end, { kind: "cancelled" }, habit);
  }
  const { end } = await workWith(codex, {
    argv: ["/bin/sh", "-c", "echo '{}'; echo aside; exec sleep 1000"],
    cancels: true,
  });
  assert.deepEqual(end, { kind: "cancelled" });
});

test("reports a broken stream, a refusal and a wrong version as agent errors", async () => {
  const ends = await Promise.all(
    ["broken", "refused", "newer"].map(async (habit) => (await workWith(acp, { argv: child("acp-agent", habit) })).end),
  );
  assert.deepEqual(
    ends.map((end) => end.kind === "done" && [end.exitCode, end.error?.about]),
    [
      [3, "other"],
      [0, "auth"],
      [0, "other"],
    ],
  );
  const truncated = await workWith(codex, {
    argv: ["/bin/sh", "-c", `printf '{"type":"turn.st'; echo key expired >&2; exit 1`],
  });
  assert.deepEqual(truncated.end.kind === "done" && truncated.end.exitCode, 1);
  assert.ok(truncated.items.some(({ kind, text }) => kind === "log" && text.includes('{"type":"turn.st')));
});

test("ignores unknown events and members of unknown kinds", async () => {
  const lines = [
    { type: "thread.started" },
    { type: "item.completed", item: null },
    { type: "item.completed", item: { type: "agent_message", text: 7 } },
    { type: "item.completed", item: { type: "of_the_future", text: "x" } },
    { type: "turn.completed", usage: { input_tokens: "many", output_tokens: -5, cached_input_tokens: 1.6 } },
    { type: "turn.failed", error: { message: "unexpected status 401 Unauthorized" } },
    [],
    null,
  ];
  const script = lines.map((line) => `echo '${JSON.stringify(line)}'`).join("; ");
  const { items, end, usage } = await workWith(codex, { argv: ["/bin/sh", "-c", script] });
  assert.ok(items.every(({ kind }) => kind === "log"));
  assert.deepEqual(usage, { inputTokens: 0, cachedTokens: 2, outputTokens: 0, turns: 1, costMicro: null });
  const error = { about: "auth", message: "unexpected status 401 Unauthorized" };
  assert.deepEqual(end, { kind: "done", exitCode: 0, error });
});

test("classifies an agent's error by its text", () => {
  const messages: readonly (readonly [string, string])[] = [
    ["exceeded retry limit, last status: 429 Too Many Requests", "rate_limited"],
    ["unexpected status 401 Unauthorized: Incorrect API key provided", "auth"],
    ["Invalid API key · Please run /login", "auth"],
    ["The model `gpt-x` does not exist or you do not have access to it.", "model_not_found"],
    ["404 page not found", "model_not_found"],
    ["Cannot connect to API: Unable to connect. (ConnectionRefused)", "network"],
    ["stream disconnected before completion", "network"],
    ["it is Tuesday", "other"],
  ];
  for (const [message, about] of messages) assert.equal(toAgentError(message).about, about, message);
});

test("splits lines independently of chunk boundaries", () => {
  const bytes = Buffer.from("one\n\n zwei ä€😀 \r\nlast");
  assertProperty(
    property(integer({ min: 0, max: bytes.length }), integer({ min: 0, max: bytes.length }), (one, other) => {
      const received: string[] = [];
      const lines = createLines((line) => received.push(line), assert.fail);
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      for (const piece of [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)]) lines.push(piece);
      lines.end();
      assert.deepEqual(received, ["one", "zwei ä€😀", "last"]);
    }),
  );
});
