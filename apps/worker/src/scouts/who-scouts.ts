/** Who reads for a scout's order: the scan of this worker, an agent, or both. */
import type { RepoSettings } from "@triptych/contracts";
import type { AgentMember } from "../agents/agent.ts";
import type { AgentOffers } from "../agents/offers.ts";

export interface Scouts {
  readonly scan: boolean;
  /** Null where no agent reads. */
  readonly agent: AgentMember | null;
}

/** What is not left to this worker needs an agent here; undefined where there is none. */
export function scoutsFor(wish: RepoSettings["explore"]["scout"], offers: AgentOffers): Scouts | undefined {
  const coding = offers.all.find(({ adapter }) => CODING.has(adapter));
  const real = coding === undefined ? null : { cli: coding.cli, model: coding.models[0] ?? null, command: null };
  switch (wish) {
    case "scan":
      return { scan: true, agent: null };
    // A tool that somebody named is asked only where an agent is asked for: it may be no reader.
    case "auto":
      return { scan: true, agent: real };
    case "agent":
    case "both": {
      const agent = real ?? offers.first;
      return agent === null ? undefined : { scan: wish === "both", agent };
    }
  }
}

const CODING: ReadonlySet<string> = new Set(["acp", "jsonl"]);
export const SCAN_ALONE: AgentMember = { cli: "scan", model: null, command: null };
