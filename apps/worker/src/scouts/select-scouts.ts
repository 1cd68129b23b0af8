/** Selects the readers of a scout's order: the scan, an agent, or both. */
import type { RepoSettings } from "@triptych/contracts";
import type { AgentOffers } from "../agents/agent-registry.ts";
import { createTeamMember, type TeamMember } from "../team/team-members.ts";

export interface ScoutSelection {
  readonly scan: boolean;
  /** Null where no agent reads. */
  readonly teamMember: TeamMember | null;
}

/** Null where a required agent is missing. */
export function selectScouts(setting: RepoSettings["explore"]["scout"], offers: AgentOffers): ScoutSelection | null {
  const coding = offers.all.find(({ adapter }) => CODING.has(adapter));
  const real = coding === undefined ? null : { cli: coding.cli, model: coding.models[0] ?? null, command: null };
  switch (setting) {
    case "scan":
      return { scan: true, teamMember: null };
    // A custom tool runs only where an agent is required: it may not be a reader.
    case "auto":
      return { scan: true, teamMember: real === null ? null : createTeamMember("scout", real, offers) };
    case "agent":
    case "both": {
      const member = real ?? offers.first;
      const teamMember = member === null ? null : createTeamMember("scout", member, offers);
      return teamMember === null ? null : { scan: setting === "both", teamMember };
    }
  }
}

const CODING: ReadonlySet<string> = new Set(["acp", "jsonl"]);
