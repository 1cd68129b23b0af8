/** One session with one team member. All members share the run's budget; exceeding it ends the run. */
import type { Usage } from "../../run/usage.ts";
import type { AgentEnd, AgentItem, AgentSession } from "../../agents/agent.ts";
import { RunError } from "../../run/run-error.ts";
import { createRedactedWriter } from "../../run/reporter.ts";
import type { RunContext } from "../run-context.ts";
import { memoriesIn } from "./memory-proposals.ts";
import type { TeamMember } from "../../agents/team-members.ts";

export interface AgentInput {
  readonly prompt: string;
  readonly round: number;
}

export interface AgentReply {
  readonly end: Extract<AgentEnd, { readonly kind: "done" }>;
  /** Its messages, in order. */
  readonly messages: readonly string[];
  /** The beginning of its log: the answer of a tool without messages. */
  readonly logged: string;
}

/** Throws `RunError` `agent_error`, `agent_auth`, `idle_timeout`, `timeout`, or the cap that was exceeded. */
export async function runAgentTurn(
  context: RunContext,
  teamMember: TeamMember,
  input: AgentInput,
): Promise<AgentReply> {
  const [messages, logs]: [string[], string[]] = [[], []];
  const end = await listen(context, teamMember, { ...input, messages, logs }).catch((error: unknown) => {
    throw agentError(teamMember, error);
  });
  context.signal.throwIfAborted();
  const ended = sound(end, teamMember);
  refuseOverspent(context);
  return { end: ended, messages, logged: logs.join("") };
}

interface ListenOptions extends AgentInput {
  readonly messages: string[];
  readonly logs: string[];
}

const LOG_LENGTH_MAX = 1024 * 1024;

async function listen(
  context: RunContext,
  teamMember: TeamMember,
  { prompt, round, messages, logs }: ListenOptions,
): Promise<AgentEnd> {
  const { limits } = context.request;
  const { role, member, agent } = teamMember;
  const isWriter = role === "coder";
  const { level } = context.sandbox;
  const close = context.spent.open(role);
  const session = agent.start({
    tree: context.tree,
    folder: context.folder,
    prompt,
    model: member.model,
    mode: isWriter ? "rw" : "ro",
    round,
    environment: agent.usesSetupEnvironment
      ? { ...context.setupEnvironment, ...context.environment }
      : context.environment,
    isTracked: async (path) =>
      (await context.git.run(["ls-tree", "--name-only", context.request.clone.sha, "--", path])).length > 0,
    launch: context.sandbox.launcher(isWriter ? "agent" : "reader"),
    modelProxy: context.sandbox.modelProxy,
    isShutIn: level === "sandbox" || level === "container",
    limits: { timeoutMs: limits.timeoutS * 1000, silenceMs: limits.idleTimeoutS * 1000 },
  });
  const from = { role, cli: member.cli, model: member.model } as const;
  const say = (kind: AgentItem["kind"], text: string) => context.reporter.say({ from, kind, text, round });
  // Logs arrive in pipe chunks; messages are whole.
  let loggedCharacters = 0;
  const log = createRedactedWriter(context.redactor.stream(), (text) => say("log", text));
  const cancel = () => session.cancel();
  context.signal.addEventListener("abort", cancel, { once: true });
  try {
    for await (const { kind, text } of session) {
      if (kind === "log") {
        log.push(text);
        if ((loggedCharacters += text.length) <= LOG_LENGTH_MAX) logs.push(text);
        continue;
      }
      say(kind, text);
      if (kind !== "message") continue;
      messages.push(text);
      for (const { text: memory, ...data } of memoriesIn(text, context.proposed))
        context.reporter.say({ from, kind: "memory_proposal", text: memory, data, round });
    }
  } finally {
    context.signal.removeEventListener("abort", cancel);
    log.end();
    reportUsage(context, teamMember, { used: close(session.usage()), round });
  }
  return endOf(session, context, { from, round });
}

/** The agent's error is reported, even if the tree is good. */
function endOf(
  session: AgentSession,
  { reporter }: RunContext,
  by: {
    readonly from: { readonly role: TeamMember["role"]; readonly cli: string; readonly model: string | null };
    readonly round: number;
  },
): AgentEnd {
  const end = session.end();
  if (end.kind === "done" && end.error !== null) reporter.say({ ...by, kind: "error", text: end.error.message });
  return end;
}

/** An adapter parses output of a foreign program, so its exceptions count as failures of the agent. */
function agentError({ member }: TeamMember, error: unknown): RunError {
  const why = error instanceof Error ? error.message : String(error);
  return new RunError("agent_error", `the adapter of ${member.cli} failed: ${why}`, { cause: error });
}

/** Totals of the role so far: usage counts, however the session ended. */
function reportUsage(
  context: RunContext,
  { role, member }: TeamMember,
  usage: { readonly used: Usage; readonly round: number },
): void {
  const { used, round } = usage;
  context.reporter.say({
    from: { role, cli: member.cli, model: member.model },
    kind: "usage",
    text: `${used.turns} turns, ${used.inputTokens} input tokens, ${used.outputTokens} output tokens`,
    data: {
      role,
      input_tokens: used.inputTokens,
      cached_tokens: used.cachedTokens,
      output_tokens: used.outputTokens,
      cost_micro: used.costMicro,
      cost_source: sourceOf(used, context),
      turns: used.turns,
    },
    round,
  });
}

function sourceOf({ costMicro }: Usage, { sandbox }: RunContext): "reported" | "estimated" | "unknown" {
  if (costMicro === null) return "unknown";
  return sandbox.modelProxy?.isEstimated === true ? "estimated" : "reported";
}

function sound(end: AgentEnd, { role, member }: TeamMember): AgentReply["end"] {
  switch (end.kind) {
    case "done":
      return end;
    case "failed":
      throw new RunError("agent_error", end.message);
    case "silence":
      throw new RunError("idle_timeout", `the ${role} reached the idle timeout`);
    case "timeout":
      throw new RunError("timeout", `the ${role} timed out`);
    case "running":
    case "cancelled":
      throw new RunError("agent_error", `the ${role} (${member.cli}) was stopped`);
  }
}

/** The model proxy stops an agent mid-session; this check covers agents with their own model access. */
function refuseOverspent({ spent, request: { limits } }: RunContext): void {
  const { inputTokens, outputTokens, turns, costMicro } = spent.total();
  const isOver = (figure: number | null, cap: number | null) => figure !== null && cap !== null && figure > cap;
  if (isOver(costMicro, limits.maxCostMicro))
    throw new RunError("cost_cap", "the team exceeded the cost limit of the run");
  if (isOver(inputTokens + outputTokens, limits.maxTokens))
    throw new RunError("token_cap", "the team exceeded the token limit of the run");
  if (isOver(turns, limits.maxTurns)) throw new RunError("turn_cap", "the team exceeded the turn limit of the run");
}
