/** Answers the panel's queries about agents: their models, and whether a model is reachable. */
import type { PanelFrame } from "@triptych/contracts";
import type { Agent, AgentEnd, AgentError } from "../agents/agent.ts";
import type { AvailableAgents } from "../agents/agent-registry.ts";
import { createTemporarySandbox } from "../sandbox/temporary-sandbox.ts";
import type { WorkerTools } from "../session/do-run.ts";
import { frameText } from "../session/frames.ts";

type Probe = Extract<PanelFrame, { readonly t: "probe" }>;
type Models = Extract<PanelFrame, { readonly t: "models" }>;

interface ProbeError {
  readonly code: "timeout" | "auth" | "model_not_found" | "network" | "cli_missing" | "rate_limited";
  readonly message: string;
}

export async function answerModels({ cid, cli }: Models, agents: AvailableAgents): Promise<string> {
  const offer = agents.all.find((available) => available.cli === cli);
  if (offer === undefined) return missingAgentText(cid, cli);
  const models = offer.models.map((id, index) => ({ id, default: index === 0 }));
  return frameText({ t: "reply", cid, ok: true, data: { models } });
}

/** Sends the agent one small prompt, in an empty folder. */
export async function answerProbe({ cid, cli, model, timeout_s }: Probe, agents: AvailableAgents, worker: WorkerTools) {
  const offer = agents.all.find((available) => available.cli === cli);
  if (offer === undefined) return missingAgentText(cid, cli);
  const agent = agents.agentFor({ cli, model, command: null });
  const startedAt = worker.clock.now();
  // An agent that needs a script or command from the run has no model to reach.
  const error = agent === undefined ? null : await probe(agent, { model, timeoutMs: timeout_s * 1000, worker });
  const latency = Math.round(worker.clock.now() - startedAt);
  return frameText({ t: "reply", cid, ok: true, data: { ok: error === null, latency_ms: latency, error } });
}

interface ProbeOptions {
  readonly model: string;
  readonly timeoutMs: number;
  readonly worker: WorkerTools;
}

/** Probes from a sandbox like that of a run, because only what is reachable from there is usable. */
async function probe(agent: Agent, { model, timeoutMs, worker }: ProbeOptions): Promise<ProbeError | null> {
  try {
    const host = worker.hostEnvironment;
    await using temporary = await createTemporarySandbox(worker.createSandbox, { network: "model_only", host });
    const { sandboxFolders, sandbox, environment } = temporary;
    const session = agent.start({
      tree: sandboxFolders.tree,
      folder: sandboxFolders.notes,
      prompt: "Answer with the word OK.",
      model: model === "" ? null : model,
      mode: "ro",
      round: 1,
      launch: sandbox.launcher("reader"),
      modelProxy: sandbox.modelProxy,
      isShutIn: sandbox.level === "sandbox" || sandbox.level === "container",
      environment,
      limits: { timeoutMs, silenceMs: timeoutMs },
    });
    for await (const item of session) void item;
    return errorOf(session.end());
  } catch (error) {
    return { code: "cli_missing", message: error instanceof Error ? error.message : String(error) };
  }
}

function errorOf(end: AgentEnd): ProbeError | null {
  switch (end.kind) {
    case "done":
      return end.error === null ? exitError(end.exitCode) : toProbeError(end.error);
    case "failed":
      return { code: "cli_missing", message: end.message };
    case "timeout":
    case "silence":
      return { code: "timeout", message: "the agent timed out" };
    case "running":
    case "cancelled":
      return { code: "network", message: "the agent was stopped" };
  }
}

function exitError(code: number): ProbeError | null {
  return code === 0 ? null : { code: "network", message: `the agent exited with code ${code}` };
}

/** An unknown error counts as unreachable; the message has the details. */
function toProbeError({ about, message }: AgentError): ProbeError {
  return { code: about === "other" ? "network" : about, message };
}

function missingAgentText(cid: string, cli: string): string {
  const error = { code: "cli_missing", message: `the agent ${cli} is not available on this worker` };
  return frameText({ t: "reply", cid, ok: false, error });
}
