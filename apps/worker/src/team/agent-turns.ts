/**
 * One session with one member of the team: what it says goes to the bus, what it used to the run's one account, what it wants to be
 * remembered to the panel. All members share the budget of the run, and whoever passes it ends the run.
 */
import type { AgentEnd, AgentItem, AgentSession, Usage } from "../agents/agent.ts";
import { RunFault } from "../run-error.ts";
import { createTalk } from "../reporter.ts";
import type { Scene } from "../phases/run-context.ts";
import { memoriesIn } from "./memory-proposals.ts";
import type { Seat } from "./team-members.ts";

export interface Word {
  readonly prompt: string;
  readonly round: number;
}

export interface Said {
  readonly end: Extract<AgentEnd, { readonly kind: "done" }>;
  /** Its messages, in order. */
  readonly messages: readonly string[];
  /** The beginning of what it logged: of a tool that has no messages, this is what it says. */
  readonly logged: string;
}

/** Throws `RunFault` `agent_error`, `agent_auth`, `idle_timeout`, `timeout`, or the cap that was passed. */
export async function converse(scene: Scene, seat: Seat, word: Word): Promise<Said> {
  const [messages, logs]: [string[], string[]] = [[], []];
  const end = await listen(scene, seat, { ...word, messages, logs }).catch((error: unknown) => {
    throw agentFault(seat, error);
  });
  scene.signal.throwIfAborted();
  const ended = sound(end, seat);
  refuseOverspent(scene);
  return { end: ended, messages, logged: logs.join("") };
}

interface Heard extends Word {
  readonly messages: string[];
  readonly logs: string[];
}

const LOGGED_MOST = 1024 * 1024;

async function listen(scene: Scene, seat: Seat, { prompt, round, messages, logs }: Heard): Promise<AgentEnd> {
  const { limits } = scene.order;
  const { role, member, agent } = seat;
  const isWriter = role === "coder";
  const { level } = scene.enclosure;
  const close = scene.spent.open(role);
  const session = agent.start({
    tree: scene.tree,
    folder: scene.folder,
    prompt,
    model: member.model,
    mode: isWriter ? "rw" : "ro",
    round,
    environment: agent.usesSetupEnvironment ? { ...scene.setupEnvironment, ...scene.environment } : scene.environment,
    isTracked: async (path) =>
      (await scene.git.run(["ls-tree", "--name-only", scene.order.clone.sha, "--", path])).length > 0,
    launch: scene.enclosure.launcher(isWriter ? "agent" : "reader"),
    door: scene.enclosure.door,
    isShutIn: level === "sandbox" || level === "container",
    limits: { timeoutMs: limits.timeoutS * 1000, silenceMs: limits.idleTimeoutS * 1000 },
  });
  const from = { role, cli: member.cli, model: member.model } as const;
  const say = (kind: AgentItem["kind"], text: string) => scene.reporter.say({ from, kind, text, round });
  // What an agent logs comes in pieces as the pipe cut it; its messages are whole.
  let kept = 0;
  const log = createTalk(scene.redactor.stream(), (text) => say("log", text));
  const cancel = () => session.cancel();
  scene.signal.addEventListener("abort", cancel, { once: true });
  try {
    for await (const { kind, text } of session) {
      if (kind === "log") {
        log.push(text);
        if ((kept += text.length) <= LOGGED_MOST) logs.push(text);
        continue;
      }
      say(kind, text);
      if (kind !== "message") continue;
      messages.push(text);
      for (const { text: memory, ...data } of memoriesIn(text, scene.proposed))
        scene.reporter.say({ from, kind: "memory_proposal", text: memory, data, round });
    }
  } finally {
    scene.signal.removeEventListener("abort", cancel);
    log.end();
    tellUsage(scene, seat, { used: close(session.usage()), round });
  }
  return endOf(session, scene, { from, round });
}

/** What it gave up over is said, even where the tree it left is good. */
function endOf(
  session: AgentSession,
  { reporter }: Scene,
  by: {
    readonly from: { readonly role: Seat["role"]; readonly cli: string; readonly model: string | null };
    readonly round: number;
  },
): AgentEnd {
  const end = session.end();
  if (end.kind === "done" && end.trouble !== null) reporter.say({ ...by, kind: "error", text: end.trouble.message });
  return end;
}

/** An adapter reads what a foreign program says: whatever it stumbles over is that agent's failure, not the worker's. */
function agentFault({ member }: Seat, error: unknown): RunFault {
  const why = error instanceof Error ? error.message : String(error);
  return new RunFault("agent_error", `the adapter of ${member.cli} failed: ${why}`, { cause: error });
}

/** Sums of all sessions of the role so far: what was spent counts, however the session ended. */
function tellUsage(scene: Scene, { role, member }: Seat, told: { readonly used: Usage; readonly round: number }): void {
  const { used, round } = told;
  scene.reporter.say({
    from: { role, cli: member.cli, model: member.model },
    kind: "usage",
    text: `${used.turns} turns, ${used.inputTokens} tokens read, ${used.outputTokens} written`,
    data: {
      role,
      input_tokens: used.inputTokens,
      cached_tokens: used.cachedTokens,
      output_tokens: used.outputTokens,
      cost_micro: used.costMicro,
      cost_source: sourceOf(used, scene),
      turns: used.turns,
    },
    round,
  });
}

function sourceOf({ costMicro }: Usage, { enclosure }: Scene): "reported" | "estimated" | "unknown" {
  if (costMicro === null) return "unknown";
  return enclosure.door?.isEstimated === true ? "estimated" : "reported";
}

function sound(end: AgentEnd, { role, member }: Seat): Said["end"] {
  switch (end.kind) {
    case "done":
      return end;
    case "failed":
      throw new RunFault("agent_error", end.message);
    case "silence":
      throw new RunFault("idle_timeout", `the ${role} said nothing for as long as the limits allow`);
    case "timeout":
      throw new RunFault("timeout", `the ${role} took longer than the limits allow`);
    case "running":
    case "cancelled":
      throw new RunFault("agent_error", `the ${role} (${member.cli}) stopped before its end`);
  }
}

/** The door holds an agent in the middle of its work; this holds those that came to their model by another way. */
function refuseOverspent({ spent, order: { limits } }: Scene): void {
  const { inputTokens, outputTokens, turns, costMicro } = spent.total();
  const isOver = (figure: number | null, cap: number | null) => figure !== null && cap !== null && figure > cap;
  if (isOver(costMicro, limits.maxCostMicro)) throw new RunFault("cost_cap", "the team cost more than the run may");
  if (isOver(inputTokens + outputTokens, limits.maxTokens))
    throw new RunFault("token_cap", "the team used more tokens than the run may");
  if (isOver(turns, limits.maxTurns)) throw new RunFault("turn_cap", "the team took more turns than the run may");
}
