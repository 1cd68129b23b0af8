/** A scout with a model: asked once, and once more where its answer cannot be read. It reads and never writes. */
import type { Agent, AgentEnd } from "../agents/agent.ts";
import { createSpending } from "../agents/spending.ts";
import type { Scene } from "../phases/scene.ts";
import { createTalk } from "../reporter.ts";
import { RunFault } from "../run-fault.ts";
import { readAnswer, scoutPrompt, secondPrompt } from "./agent-answer.ts";
import type { Copies } from "./copies.ts";
import type { Finding } from "./finding.ts";
import { hashTree } from "./hash-tree.ts";
import type { Tree } from "./reading/tree.ts";

export interface ScoutAsked {
  readonly copies: Copies;
  /** What there is: evidence that points elsewhere is none. */
  readonly tree: Tree;
  readonly most: number;
}

/** Throws `RunFault` `agent_error`, `idle_timeout`, `timeout`, and `policy_violation` where anything was written. */
export async function askScout(scene: Scene, agent: Agent, asked: ScoutAsked): Promise<readonly Finding[]> {
  // Where the kernel holds the tree, it is the tree itself; elsewhere a copy that nobody needs afterwards.
  const isHeld = scene.enclosure.level === "sandbox" || scene.enclosure.level === "container";
  return isHeld ? watched(scene, agent, asked) : asked.copies.inCopy(scene, (copy) => watched(copy, agent, asked));
}

async function watched(scene: Scene, agent: Agent, asked: ScoutAsked): Promise<readonly Finding[]> {
  const before = await hashTree(scene.tree);
  const [said] = await Promise.allSettled([converse(scene, agent, asked)]);
  scene.signal.throwIfAborted();
  // Before whatever else went wrong: this is graver.
  if ((await hashTree(scene.tree)) !== before)
    throw new RunFault("policy_violation", "the scout wrote in the tree that it was to read");
  if (said.status === "rejected") throw said.reason;
  return said.value;
}

async function converse(scene: Scene, agent: Agent, { tree, most }: ScoutAsked): Promise<readonly Finding[]> {
  const { focus, memories, verify } = scene.order;
  const prompt = scoutPrompt({ focus, memories, verifyCommand: verify.command, most });
  const spent = createSpending();
  const first = readAnswer(await listen(scene, agent, { prompt, number: 1, spent }), tree);
  if (first.kind === "read") return first.findings;
  const second = readAnswer(
    await listen(scene, agent, { prompt: secondPrompt(prompt, first.why), number: 2, spent }),
    tree,
  );
  if (second.kind === "read") return second.findings;
  throw new RunFault("agent_error", `the scout's answer could not be read: ${second.why}`);
}

interface Round {
  readonly prompt: string;
  readonly number: number;
  readonly spent: ReturnType<typeof createSpending>;
}

/** All that it said. */
async function listen(scene: Scene, agent: Agent, { prompt, number, spent }: Round): Promise<string> {
  const { limits, coder } = scene.order;
  const from = { role: "scout", cli: coder.cli, model: coder.model } as const;
  const session = agent.start({
    tree: scene.tree,
    folder: scene.folder,
    prompt,
    model: coder.model,
    mode: "ro",
    round: number,
    environment: scene.environment,
    launch: scene.enclosure.launcher("reader"),
    limits: { timeoutMs: limits.timeoutS * 1000, silenceMs: limits.idleTimeoutS * 1000 },
  });
  const log = createTalk(scene.redactor.stream(), (text) =>
    scene.reporter.say({ from, kind: "log", text, round: number }),
  );
  const cancel = () => session.cancel();
  scene.signal.addEventListener("abort", cancel, { once: true });
  let said = "";
  try {
    for await (const { kind, text } of session) {
      if (kind === "message" || kind === "log") said += kind === "message" ? `${text}\n` : text;
      if (said.length > LONGEST) throw new RunFault("agent_error", "the scout said more than anybody would read");
      if (kind === "log") log.push(text);
      else scene.reporter.say({ from, kind, text, round: number });
    }
  } catch (error) {
    if (error instanceof RunFault) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new RunFault("agent_error", `the adapter of ${coder.cli} failed: ${why}`, { cause: error });
  } finally {
    scene.signal.removeEventListener("abort", cancel);
    log.end();
    const used = spent.add(session.usage());
    scene.reporter.say({ from, kind: "usage", text: `${used.turns} turns`, data: usageOf(used), round: number });
  }
  scene.signal.throwIfAborted();
  refuse(session.end());
  return said;
}

const LONGEST = 4 * 1024 * 1024;

function usageOf(used: ReturnType<ReturnType<typeof createSpending>["add"]>) {
  return {
    role: "scout",
    input_tokens: used.inputTokens,
    cached_tokens: used.cachedTokens,
    output_tokens: used.outputTokens,
    cost_micro: used.costMicro,
    cost_source: used.costMicro === null ? "unknown" : "reported",
    turns: used.turns,
  };
}

function refuse(end: AgentEnd): void {
  switch (end.kind) {
    case "done":
      return;
    case "failed":
      throw new RunFault("agent_error", end.message);
    case "silence":
      throw new RunFault("idle_timeout", "the scout said nothing for as long as the limits allow");
    case "timeout":
      throw new RunFault("timeout", "the scout took longer than the limits allow");
    case "running":
    case "cancelled":
      throw new RunFault("agent_error", "the scout stopped before its end");
  }
}
