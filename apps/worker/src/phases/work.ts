/** Lets the coder work for one round and answers which paths it changed. */
import type { Agent, AgentEnd, AgentItem, AgentSession } from "../agents/agent.ts";
import { RunFault } from "../run-fault.ts";
import { createTalk } from "../reporter.ts";
import type { Scene } from "./scene.ts";

export interface Round {
  readonly number: number;
  readonly prompt: string;
}

export interface Worked {
  readonly paths: readonly string[];
  /** The tree as the agent left it. */
  readonly treeId: string;
}

/** Throws `RunFault` `agent_error`, `idle_timeout` or `timeout`. */
export async function work(scene: Scene, agent: Agent, round: Round): Promise<Worked> {
  const before = await scene.snapshots.take();
  const end = await listen(scene, agent, round).catch((error: unknown) => {
    throw agentFault(scene, error);
  });
  scene.signal.throwIfAborted();
  refuse(end);
  const treeId = await scene.snapshots.take();
  return { paths: await scene.snapshots.between(before, treeId), treeId };
}

async function listen(scene: Scene, agent: Agent, { number, prompt }: Round): Promise<AgentEnd> {
  const { limits, coder } = scene.order;
  const session = agent.start({
    tree: scene.tree,
    folder: scene.folder,
    prompt,
    model: coder.model,
    mode: "rw",
    round: number,
    environment: scene.environment,
    launch: scene.enclosure.launcher("agent"),
    door: scene.enclosure.door,
    limits: { timeoutMs: limits.timeoutS * 1000, silenceMs: limits.idleTimeoutS * 1000 },
  });
  const from = { role: "coder", cli: coder.cli, model: coder.model } as const;
  const say = (kind: AgentItem["kind"], text: string) => scene.reporter.say({ from, kind, text, round: number });
  // What an agent logs comes in pieces as the pipe cut it; its messages are whole.
  const log = createTalk(scene.redactor.stream(), (text) => say("log", text));
  const cancel = () => session.cancel();
  scene.signal.addEventListener("abort", cancel, { once: true });
  try {
    for await (const { kind, text } of session) {
      if (kind === "log") log.push(text);
      else say(kind, text);
    }
  } finally {
    scene.signal.removeEventListener("abort", cancel);
    log.end();
    account(scene, session, number);
  }
  return session.end();
}

/** An adapter reads what a foreign program says: whatever it stumbles over is that agent's failure, not the worker's. */
function agentFault({ order }: Scene, error: unknown): RunFault {
  const why = error instanceof Error ? error.message : String(error);
  return new RunFault("agent_error", `the adapter of ${order.coder.cli} failed: ${why}`, { cause: error });
}

/** Sums of all rounds so far: what was spent counts, however the round ended. */
function account(scene: Scene, session: AgentSession, round: number): void {
  const used = scene.spent.add(session.usage());
  const { cli, model } = scene.order.coder;
  scene.reporter.say({
    from: { role: "coder", cli, model },
    kind: "usage",
    text: `${used.turns} turns, ${used.inputTokens} tokens read, ${used.outputTokens} written`,
    data: {
      role: "coder",
      input_tokens: used.inputTokens,
      cached_tokens: used.cachedTokens,
      output_tokens: used.outputTokens,
      cost_micro: used.costMicro,
      cost_source: used.costMicro === null ? "unknown" : "reported",
      turns: used.turns,
    },
    round,
  });
}

function refuse(end: AgentEnd): void {
  switch (end.kind) {
    case "done":
      return;
    case "failed":
      throw new RunFault("agent_error", end.message);
    case "silence":
      throw new RunFault("idle_timeout", "the agent said nothing for as long as the limits allow");
    case "timeout":
      throw new RunFault("timeout", "the agent took longer than the limits allow");
    case "running":
    case "cancelled":
      throw new RunFault("agent_error", "the agent stopped before its end");
  }
}
