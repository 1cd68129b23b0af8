/** Who reads for a scout's order: the scan of this worker, an agent, or both. */
import type { RepoSettings } from "@triptych/contracts";
import type { AgentOffers } from "../agents/agent-registry.ts";
import { seatOf, type Seat } from "../team/team-members.ts";

export interface Scouts {
  readonly scan: boolean;
  /** Null where no agent reads. */
  readonly seat: Seat | null;
}

/** Null where an agent is asked for, and there is none. */
export function seatScouts(wish: RepoSettings["explore"]["scout"], offers: AgentOffers): Scouts | null {
  const coding = offers.all.find(({ adapter }) => CODING.has(adapter));
  const real = coding === undefined ? null : { cli: coding.cli, model: coding.models[0] ?? null, command: null };
  switch (wish) {
    case "scan":
      return { scan: true, seat: null };
    // A tool that somebody named is asked only where an agent is asked for: it may be no reader.
    case "auto":
      return { scan: true, seat: real === null ? null : seatOf("scout", real, offers) };
    case "agent":
    case "both": {
      const member = real ?? offers.first;
      const seat = member === null ? null : seatOf("scout", member, offers);
      return seat === null ? null : { scan: wish === "both", seat };
    }
  }
}

const CODING: ReadonlySet<string> = new Set(["acp", "jsonl"]);
