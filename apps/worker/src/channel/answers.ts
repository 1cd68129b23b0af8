/** What the panel asks about the agents of this worker: which models they have, and whether one can be reached at all. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PanelFrame } from "@triptych/contracts";
import type { Agent, AgentEnd } from "../agents/agent.ts";
import type { AgentOffers } from "../agents/offers.ts";
import { runProcess } from "../process/run-process.ts";
import { environmentOf } from "../process/environment.ts";
import type { Workplace } from "./do-run.ts";
import { frameText } from "./frames.ts";

type Probe = Extract<PanelFrame, { readonly t: "probe" }>;
type Models = Extract<PanelFrame, { readonly t: "models" }>;

interface ProbeError {
  readonly code: "timeout" | "auth" | "model_not_found" | "network" | "cli_missing" | "rate_limited";
  readonly message: string;
}

export async function answerModels({ cid, cli }: Models, offers: AgentOffers): Promise<string> {
  const offer = offers.all.find((one) => one.cli === cli);
  if (offer === undefined) return notHere(cid, cli);
  const models = offer.models.map((id, place) => ({ id, default: place === 0 }));
  return frameText({ t: "reply", cid, ok: true, data: { models } });
}

/** Asks the agent for one small answer, in an empty folder. */
export async function answerProbe({ cid, cli, model, timeout_s }: Probe, offers: AgentOffers, place: Workplace) {
  const offer = offers.all.find((one) => one.cli === cli);
  if (offer === undefined) return notHere(cid, cli);
  const agent = offers.agentFor({ cli, model, command: null });
  const begun = place.pace.now();
  // An agent that works only by the words of an order has nothing that could be out of reach.
  const error = agent === undefined ? null : await probe(agent, { model, timeoutMs: timeout_s * 1000, place });
  const latency = Math.round(place.pace.now() - begun);
  return frameText({ t: "reply", cid, ok: true, data: { ok: error === null, latency_ms: latency, error } });
}

interface Probing {
  readonly model: string;
  readonly timeoutMs: number;
  readonly place: Workplace;
}

async function probe(agent: Agent, { model, timeoutMs, place }: Probing): Promise<ProbeError | null> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-probe-"));
  try {
    const session = agent.start({
      tree: folder,
      folder,
      prompt: "Answer with the word OK.",
      model,
      mode: "ro",
      round: 1,
      launch: runProcess,
      door: null,
      isShutIn: false,
      environment: environmentOf(place.hostEnvironment, { home: folder, temporary: folder }),
      limits: { timeoutMs, silenceMs: timeoutMs },
    });
    const said: string[] = [];
    for await (const { text } of session) said.push(text);
    return errorOf(session.end());
  } catch (error) {
    return { code: "cli_missing", message: error instanceof Error ? error.message : String(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function errorOf(end: AgentEnd): ProbeError | null {
  switch (end.kind) {
    case "done":
      return end.exitCode === 0 ? null : { code: "network", message: `it ended with exit code ${end.exitCode}` };
    case "failed":
      return { code: "cli_missing", message: end.message };
    case "timeout":
    case "silence":
      return { code: "timeout", message: "it did not answer in time" };
    case "running":
    case "cancelled":
      return { code: "network", message: "it stopped before its end" };
  }
}

function notHere(cid: string, cli: string): string {
  const error = { code: "cli_missing", message: `there is no ${cli} on this worker` };
  return frameText({ t: "reply", cid, ok: false, error });
}
