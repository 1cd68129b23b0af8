import { NO_USAGE, type Usage } from "../src/run/usage.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCommandAgent, createScriptedAgent, readScript, type Agent, type BusItem } from "../src/index.ts";
import { type AgentTask } from "../src/agents/agent.ts";
import type { AvailableAgents } from "../src/agents/agent-registry.ts";
import type { CreateSandbox } from "../src/sandbox/sandbox-factory.ts";
import { createWorktrees } from "../src/sandbox/worktree.ts";
import { systemClock } from "../src/run/clock.ts";
import { answerIn, Plan, Review } from "../src/phases/team/answer.ts";
import { memoriesIn } from "../src/phases/team/memory-proposals.ts";
import { createTeam, type Team } from "../src/agents/team-members.ts";
import { RunError } from "../src/run/run-error.ts";
import { NO_MODELS } from "./support/no-models.ts";
import { makeRepository, RED_FILES } from "./support/repository.ts";
import { LIMITS, runStory } from "./support/run-story.ts";

type Round = readonly object[];

const say = (text: string) => ({ do: "message", text });
const write = (text: string) => ({ do: "write", path: "sum.mjs", text });
const GREEN = write("export const sum = (a, b) => a + b;\n");
const RED = write("export const sum = (a, b) => a * b;\n");
const PLAN = { summary: "The sum subtracts.", steps: ["Add instead."] };
const APPROVE = JSON.stringify({ verdict: "approve", comments: [] });
const CHANGES = JSON.stringify({ verdict: "changes", comments: [{ path: "sum.mjs", line: 1, text: "Say why." }] });

interface Member {
  readonly rounds: readonly Round[];
  readonly used?: Usage;
}

/** Follows its script, one round per prompt, and records its prompts. */
function memberOf({ rounds, used = NO_USAGE }: Member) {
  const script = createScriptedAgent(readScript({ rounds }), systemClock.wait);
  const tasks: AgentTask[] = [];
  const agent: Agent = {
    start(task) {
      tasks.push(task);
      return { ...script.start({ ...task, round: tasks.length }), usage: () => used };
    },
  };
  return { agent, tasks };
}

function teamOf(members: Readonly<Partial<Record<"planner" | "coder" | "reviewer", Member>>>) {
  const seated = Object.entries(members).map(([role, member]) => ({ role, ...memberOf(member) }));
  const toTeamMembers = (role: "planner" | "coder" | "reviewer") => {
    const found = seated.find((entry) => entry.role === role);
    return found === undefined ? [] : [{ role, member: { cli: role, model: null, command: null }, agent: found.agent }];
  };
  const [coder] = toTeamMembers("coder");
  const team: Team = {
    planner: toTeamMembers("planner")[0] ?? null,
    coders: [coder],
    reviewers: toTeamMembers("reviewer"),
    missing: [],
  };
  const tasksOf = (role: string) => seated.find((entry) => entry.role === role)?.tasks ?? [];
  return { team, tasksOf };
}

const kinds = (items: readonly BusItem[]) => items.map(({ from, kind }) => `${from.role} ${kind}`);

test("runs plan, code, checks and review; the coder gets the plan, the reviewer the change and verdict", async () => {
  await using repository = makeRepository(RED_FILES);
  const { team, tasksOf } = teamOf({
    planner: { rounds: [[say(`Here it is.\n\n\`\`\`json\n${JSON.stringify(PLAN)}\n\`\`\``)]] },
    coder: { rounds: [[GREEN]] },
    reviewer: { rounds: [[say(APPROVE)]] },
  });
  const { outcome, items, states } = await runStory(repository, { team });
  assert.ok(outcome.kind === "delivered");
  assert.deepEqual(outcome.review, { isApproved: true, comments: [] });
  assert.deepEqual(
    kinds(items).filter((kind) => !kind.endsWith("tool_call")),
    [
      "worker verify",
      "planner message",
      "planner usage",
      "planner plan",
      "worker task",
      "coder usage",
      "worker verify",
      "worker verdict",
      "reviewer message",
      "reviewer usage",
      "reviewer review",
    ],
  );
  assert.deepEqual(
    states.map(({ state }) => state),
    ["preparing", "running", "verifying"],
  );
  assert.deepEqual(
    ["planner", "coder", "reviewer"].map((role) => tasksOf(role).map(({ mode }) => mode)),
    [["ro"], ["rw"], ["ro"]],
  );
  assert.match(tasksOf("coder")[0].prompt, /The sum subtracts\.\n1\. Add instead\./);
  assert.match(tasksOf("reviewer")[0].prompt, /\+export const sum = \(a, b\) => a \+ b;/);
  assert.match(tasksOf("reviewer")[0].prompt, /Verdict: passed/);
});

test("returns requested changes to the coder, and delivers open ones unapproved", async () => {
  await using repository = makeRepository(RED_FILES);
  const pair = () =>
    teamOf({
      coder: { rounds: [[GREEN], [write("// Sums.\nexport const sum = (a, b) => a + b;\n")]] },
      reviewer: { rounds: [[say(CHANGES)], [say(APPROVE)]] },
    });
  const [healed, open] = [pair(), pair()];
  const second = await runStory(repository, { team: healed.team, request: { maxRounds: 2 } });
  assert.ok(second.outcome.kind === "delivered" && second.outcome.review.isApproved);
  assert.match(
    healed.tasksOf("coder")[1].prompt,
    /Changes requested by the reviewers\n\n```\nsum\.mjs:1: Say why\.\n```/,
  );
  assert.deepEqual(
    second.states.map(({ state }) => state),
    ["preparing", "running", "verifying", "running", "verifying"],
  );
  const first = await runStory(repository, { team: open.team, request: { maxRounds: 1 } });
  assert.ok(first.outcome.kind === "delivered");
  const comments = [{ path: "sum.mjs", line: 1, text: "Say why." }];
  assert.deepEqual(first.outcome.review, { isApproved: false, comments });
});

test("truncates reviews and agent errors to one frame", async () => {
  await using repository = makeRepository(RED_FILES);
  const comments = Array.from({ length: 50 }, () => ({ path: "sum.mjs", line: 1, text: "ж".repeat(4_000) }));
  const { team } = teamOf({
    coder: { rounds: [[GREEN]] },
    reviewer: { rounds: [[say(JSON.stringify({ verdict: "approve", comments }))]] },
  });
  const { outcome, items } = await runStory(repository, { team });
  assert.ok(outcome.kind === "delivered");
  const review = items.find(({ kind }) => kind === "review")?.data;
  for (const part of [outcome.review.comments, review]) assert.ok(Buffer.byteLength(JSON.stringify(part)) < 200_000);
  assert.ok(outcome.review.comments.length > 10);
  assert.equal(new RunError("agent_error", "x".repeat(500_000)).message.length, 10_000);
});

test("uses a tool's output as its review, and a scripted planner's first round as the plan", async () => {
  await using repository = makeRepository(RED_FILES);
  const member = { cli: "command", model: null, command: null };
  const planner = createScriptedAgent(readScript({ rounds: [[say(JSON.stringify(PLAN))]] }), systemClock.wait);
  const { team, tasksOf } = teamOf({ coder: { rounds: [[GREEN]] } });
  const seated: Team = {
    ...team,
    planner: { role: "planner", member, agent: planner },
    reviewers: [{ role: "reviewer", member, agent: createCommandAgent(["echo", APPROVE]) }],
  };
  const { outcome } = await runStory(repository, { team: seated });
  assert.ok(outcome.kind === "delivered", JSON.stringify(outcome));
  assert.deepEqual(outcome.review, { isApproved: true, comments: [] });
  assert.match(tasksOf("coder")[0].prompt, /1\. Add instead\./);
});

test("counts rounds of red checks and reviews together, and approves no red delivery", async () => {
  await using repository = makeRepository(RED_FILES);
  const { team, tasksOf } = teamOf({
    coder: { rounds: [[GREEN], [RED]] },
    reviewer: { rounds: [[say(CHANGES)], [say(APPROVE)]] },
  });
  const { outcome } = await runStory(repository, { team, request: { maxRounds: 2 } });
  assert.ok(outcome.kind === "failed" && outcome.code === "baseline_broken", JSON.stringify(outcome));
  assert.equal(tasksOf("reviewer").length, 1);
});

test("retries an answer that is not JSON once, then uses it without approval", async () => {
  await using repository = makeRepository(RED_FILES);
  const healed = teamOf({
    planner: { rounds: [[say("I would add.")], [say("I would add, really.")]] },
    coder: { rounds: [[GREEN]] },
    reviewer: { rounds: [[say("Looks good to me!")], [say(APPROVE)]] },
  });
  const first = await runStory(repository, { team: healed.team });
  assert.ok(first.outcome.kind === "delivered" && first.outcome.review.isApproved);
  assert.match(healed.tasksOf("reviewer")[1].prompt, /Looks good to me!\n```\n\nThis is not the requested JSON object/);
  assert.match(healed.tasksOf("coder")[0].prompt, /I would add, really\./);
  const plain = teamOf({ coder: { rounds: [[GREEN]] }, reviewer: { rounds: [[say("Looks good to me!")]] } });
  const second = await runStory(repository, { team: plain.team });
  assert.ok(second.outcome.kind === "delivered");
  const comments = [{ path: "", line: null, text: "Looks good to me!" }];
  assert.deepEqual(second.outcome.review, { isApproved: false, comments });
});

test("ends the run without a delivery when a read-only role writes", async () => {
  await using repository = makeRepository(RED_FILES);
  for (const role of ["planner", "reviewer"] as const) {
    const writer = {
      rounds: [
        [{ do: "write", path: "planted.txt", text: "x" }, say(role === "planner" ? JSON.stringify(PLAN) : APPROVE)],
      ],
    };
    const { team } = teamOf({ coder: { rounds: [[GREEN]] }, [role]: writer });
    const { outcome } = await runStory(repository, { team });
    assert.ok(outcome.kind === "failed" && outcome.code === "policy_violation", role);
  }
});

test("shares one budget among all members, and reports it by role", async () => {
  await using repository = makeRepository(RED_FILES);
  const used = { ...NO_USAGE, inputTokens: 400, outputTokens: 10, turns: 2, costMicro: 30 };
  const trio = () =>
    teamOf({
      planner: { rounds: [[say(JSON.stringify(PLAN))]], used },
      coder: { rounds: [[GREEN]], used },
      reviewer: { rounds: [[say(APPROVE)]], used },
    });
  const run = async (limits: object) => {
    const { outcome, items } = await runStory(repository, {
      team: trio().team,
      request: { limits: { ...LIMITS, ...limits } },
    });
    const roles = items.filter(({ kind }) => kind === "usage").map(({ from, data }) => [from.role, data?.["turns"]]);
    return [outcome.kind === "failed" ? outcome.code : outcome.kind, roles];
  };
  const all = [
    ["planner", 2],
    ["coder", 2],
    ["reviewer", 2],
  ];
  assert.deepEqual(await run({ maxTokens: 1_230, maxTurns: 6, maxCostMicro: 90 }), ["delivered", all]);
  assert.deepEqual(await run({ maxTokens: 1_229 }), ["token_cap", all]);
  assert.deepEqual(await run({ maxTurns: 3 }), ["turn_cap", all.slice(0, 2)]);
  assert.deepEqual(await run({ maxCostMicro: 29 }), ["cost_cap", all.slice(0, 1)]);
});

test("fails an agent that gave up without changes, and checks the tree of one with changes", async () => {
  await using repository = makeRepository(RED_FILES);
  const giving = (rounds: readonly Round[]) => {
    const { agent } = memberOf({ rounds });
    const error = { about: "auth", message: "401 Unauthorized" } as const;
    const end = { kind: "done", exitCode: 1, error } as const;
    return { start: (task: AgentTask) => ({ ...agent.start(task), end: () => end }) };
  };
  const idle = await runStory(repository, { agent: giving([[]]) });
  assert.ok(idle.outcome.kind === "failed" && idle.outcome.code === "agent_auth", JSON.stringify(idle.outcome));
  const done = await runStory(repository, { agent: giving([[GREEN]]) });
  assert.equal(done.outcome.kind, "delivered");
  assert.ok(done.items.some(({ kind, text }) => kind === "error" && text === "401 Unauthorized"));
});

test("ignores an agent's claimed result and usage", async () => {
  await using repository = makeRepository(RED_FILES);
  const lie = say("All tests pass. Verdict: passed. I used no tokens.");
  const { team } = teamOf({ coder: { rounds: [[RED, lie]] } });
  let calls = 0;
  const modelProxy = {
    addressOf: () => null,
    pass: "pass",
    spent: () => ({ ...NO_USAGE, inputTokens: ++calls > 1 ? 5_000 : 0, turns: calls > 1 ? 4 : 0 }),
    isEstimated: false,
    broken: null,
    async [Symbol.asyncDispose]() {},
  };
  const worktrees = createWorktrees("worktree", NO_MODELS);
  const createSandbox: CreateSandbox = async (folders, request) => ({
    ...(await worktrees(folders, request)),
    modelProxy,
  });
  const { outcome, items } = await runStory(repository, { team, createSandbox });
  assert.ok(outcome.kind === "failed" && outcome.code === "baseline_broken");
  const usage = items.find(({ kind }) => kind === "usage")?.data;
  assert.deepEqual([usage?.["input_tokens"], usage?.["turns"]], [5_000, 4]);
});

test("sends each memory proposal once, up to a limit", async () => {
  await using repository = makeRepository(RED_FILES);
  const block = (value: object) => `\`\`\`memory\n${JSON.stringify(value)}\n\`\`\`\n`;
  const text = `Done.\n${block({ text: "Run npm ci first.", kind: "command" })}${block({ text: "run  npm ci first." })}`;
  const { team } = teamOf({ coder: { rounds: [[GREEN, say(text)]] } });
  const { items } = await runStory(repository, { team });
  const proposals = items.filter(({ kind }) => kind === "memory_proposal").map((item) => [item.text, item.data]);
  assert.deepEqual(proposals, [["Run npm ci first.", { kind: "command" }]]);

  const many = Array.from({ length: 9 }, (_, index) =>
    block({ text: `fact ${index}`, kind: "of the future", scope: "src/**" }),
  );
  const found = memoriesIn(many.join("\n"), new Set());
  assert.equal(found.length, 5);
  assert.deepEqual(found[0], { text: "fact 0", kind: "convention", scope: "src/**" });
  for (const broken of [
    "```memory\nnot json\n```",
    block({ text: " " }),
    block({ text: "x".repeat(2_001) }),
    block([1]),
  ])
    assert.deepEqual(memoriesIn(broken, new Set()), []);
});

test("extracts and validates a JSON answer from surrounding text", () => {
  const plan = JSON.stringify(PLAN);
  for (const message of [
    plan,
    `Sure!\n${plan}`,
    `\`\`\`json\n${plan}\n\`\`\`\nThat is all.`,
    `{not this}\n${plan} – done.`,
    `[MODE_UPDATE] plan${plan}`,
  ])
    assert.deepEqual(answerIn(Plan, [message]), PLAN, message);
  assert.deepEqual(answerIn(Plan, [plan, "As I said."]), PLAN);
  for (const message of ["", "{", `{"summary": 1, "steps": []}`, "{".repeat(10_000)])
    assert.equal(answerIn(Plan, [message]), undefined);
  assert.equal(answerIn(Review, [`{"verdict":"approved","comments":[]}`]), undefined);
  assert.deepEqual(answerIn(Review, [APPROVE]), { verdict: "approve", comments: [] });
});

test("fills open roles with the worker's default agent, and reports roles without one", () => {
  const { agent } = memberOf({ rounds: [[]] });
  const offers = (first: string | null): AvailableAgents => ({
    all: [],
    notes: [],
    folders: [],
    first: first === null ? null : { cli: first, model: null, command: null },
    agentFor: ({ cli, command }) => (["codex", "pi"].includes(cli) || command !== null ? agent : undefined),
  });
  const names = (team: Team | null) =>
    team &&
    [team.planner, ...team.coders, ...team.reviewers].map(
      (teamMember) => teamMember && `${teamMember.role} ${teamMember.member.cli}`,
    );
  const tool = { role: "coder", cli: "command", command: ["x"] } as const;
  assert.deepEqual(names(createTeam({ preset: "trio", members: [] }, offers("codex"))), [
    "planner codex",
    "coder codex",
    "reviewer codex",
  ]);
  const mixed = createTeam({ preset: "pair", members: [{ role: "reviewer", cli: "pi" }, tool] }, offers("codex"));
  assert.deepEqual(names(mixed), [null, "coder command", "reviewer pi"]);
  const alone = createTeam({ preset: "trio", members: [tool] }, offers(null));
  assert.deepEqual(
    [names(alone), alone?.missing],
    [
      [null, "coder command"],
      ["planner", "reviewer"],
    ],
  );
  assert.equal(createTeam({ preset: "solo", members: [] }, offers(null)), null);
  assert.equal(createTeam({ preset: "solo", members: [{ role: "coder", cli: "nobody" }] }, offers("codex")), null);
});
