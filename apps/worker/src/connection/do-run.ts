/** From an order of the panel to the last word on it: finds the base, lets the phases run, hands the bundle over. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { IsolationLevel } from "@triptych/contracts";
import type { Baselines } from "../baselines.ts";
import type { OpenEnclosure } from "../sandbox/sandbox-factory.ts";
import { findBase, type Base } from "../git/base.ts";
import type { Mirrors } from "../git/clone.ts";
import { environmentOf } from "../process/environment.ts";
import { shortened, type BusItem, type Reporter, type StateChange } from "../reporter.ts";
import { RunFault } from "../run-error.ts";
import type { AgentName, CheckReport, RunOutcome } from "../run-request.ts";
import { runPhases, type RunPlace } from "../run-phases.ts";
import { agentsOf, type Crew } from "./agent-selection.ts";
import { scoutFor } from "./do-explore.ts";
import type { WireItem } from "./event-stream.ts";
import type { LastWord, RunVoice, Work } from "./run-session.ts";
import type { Pace } from "./clock.ts";
import { createUploads, type Uploads } from "./uploads.ts";
import { baselineMembers, checkMembers, orderOf, sizeOf, type Assign } from "./wire.ts";

export interface Workplace {
  readonly panel: string;
  readonly mirrors: Mirrors;
  readonly baselines: Baselines;
  readonly isolation: IsolationLevel;
  readonly openEnclosure: OpenEnclosure;
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
  /** The licence keys that this worker has had: they are never said. */
  readonly secrets: () => ReadonlyMap<string, string>;
  readonly pace: Pace;
  readonly now: () => Date;
  readonly log: (text: string) => void;
}

/** As the bus takes it; what is longer is an artefact. */
const LONGEST_TEXT = 16 * 1024;

export function workOn(assign: Assign, crew: Crew, place: Workplace): Work {
  return async (voice) => {
    const { signal, folder } = voice;
    const uploads = createUploads({
      panel: place.panel,
      runId: assign.run_id,
      epoch: assign.epoch,
      token: assign.run_token,
      pace: place.pace,
      signal,
      onTrouble: (text) => place.log(`run ${assign.run_id}: ${text}`),
    });
    const begun = { base: null as Base | null };
    const reporter = createReporter(voice, { uploads, place, base: () => begun.base, assign });
    try {
      begun.base = await baseOf(assign, voice, place);
      const tools: RunPlace = {
        folder: folder.work,
        mirrors: place.mirrors,
        baselines: place.baselines,
        openEnclosure: place.openEnclosure,
        reporter,
        hostEnvironment: place.hostEnvironment,
        secrets: place.secrets(),
        signal,
        now: () => place.now().getTime(),
        elapsed: place.pace.now,
      };
      if (crew.kind === "scouts") {
        const said = await scoutFor(assign, { scouts: crew.scouts, base: begun.base, tools });
        await uploads.settled();
        return said;
      }
      const outcome = await runPhases(orderOf(assign, begun.base), { ...tools, team: crew.team });
      await uploads.settled();
      const agents = agentsOf(crew.team);
      return await lastWordOf(outcome, { assign, uploads, base: begun.base, level: place.isolation, agents });
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof RunFault)) throw error;
      return {
        state: "failed",
        data: { code: error.code, message: error.message, ...(begun.base && { base: begun.base }) },
      };
    }
  };
}

async function baseOf({ clone, run_token }: Assign, { folder, signal }: RunVoice, place: Workplace): Promise<Base> {
  const home = join(folder.path, "home");
  await mkdir(home, { recursive: true });
  const environment = environmentOf(place.hostEnvironment, { home, temporary: home });
  return findBase({ ...clone, bearer: run_token, environment, signal, pace: place.pace });
}

interface Ending {
  readonly assign: Assign;
  readonly uploads: Uploads;
  readonly base: Base;
  readonly level: IsolationLevel;
  readonly agents: readonly AgentName[];
}

async function lastWordOf(outcome: RunOutcome, ending: Ending): Promise<LastWord | null> {
  const { assign, uploads, base, level, agents } = ending;
  const known = { base, ...checkMembers(outcome.report) };
  switch (outcome.kind) {
    case "cancelled":
      return { state: "cancelled", data: {} };
    case "no_change":
    case "failed":
      return { state: outcome.kind, data: { code: outcome.code, message: outcome.message, ...known } };
    case "delivered": {
      const uploaded = await uploads.bundle(outcome.bundle);
      if (uploaded.kind === "superseded") return null;
      if (uploaded.kind === "refused") {
        const { code, message } = uploaded;
        return { state: "failed", data: { code, message, ...known } };
      }
      const { headSha } = outcome;
      const warnings = [...warningsOf(assign, level), ...outcome.warnings];
      const { isApproved: approved, comments } = outcome.review;
      return { state: "pushing", data: { ...known, head_sha: headSha, agents, approved, comments, warnings } };
    }
  }
}

/** Below a sandbox nothing holds an agent off the network, and the run says so. */
function warningsOf({ isolation }: Assign, level: IsolationLevel): readonly string[] {
  return isolation.network === "open" || holdsNetwork(level) ? [] : ["network_not_enforced"];
}

export function holdsNetwork(level: IsolationLevel): boolean {
  return level === "sandbox" || level === "container";
}

interface Telling {
  readonly uploads: Uploads;
  readonly place: Workplace;
  readonly base: () => Base | null;
  readonly assign: Assign;
}

function createReporter({ stream, enter }: RunVoice, { uploads, place, base, assign }: Telling): Reporter {
  const level = place.isolation;
  const isolation = { level, network: holdsNetwork(level) ? assign.isolation.network : "open" };
  const warnings = warningsOf(assign, level);
  return {
    say: (item) => stream.say(wireItem(item, uploads, place.now())),
    enter(change) {
      // Taking the order is what begins it.
      if (change.state === "preparing") return;
      enter(change.state, {
        ...dataOf(change),
        base: base(),
        isolation,
        warnings,
      });
    },
  };
}

function dataOf(change: Exclude<StateChange, { readonly state: "preparing" }>): Readonly<Record<string, unknown>> {
  if (change.state === "verifying") return sizeOf(change.diff);
  const verify: CheckReport | null = change.verify;
  return verify === null ? baselineMembers(change.baseline) : { ...checkMembers(verify) };
}

function wireItem({ from, kind, text, data, round }: BusItem, uploads: Uploads, at: Date): WireItem {
  const isLong = Buffer.byteLength(text) > LONGEST_TEXT;
  const artifact = isLong ? uploads.artifact(text) : null;
  const by = "cli" in from ? from : { cli: null, model: null };
  return {
    at: at.toISOString(),
    from: {
      role: from.role,
      agent: by.cli,
      cli: by.cli,
      model: by.model,
    },
    kind,
    text: shortened(text, LONGEST_TEXT),
    data: { ...data, ...(artifact !== null && { artifact }) },
    round,
  };
}
