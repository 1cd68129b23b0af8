/** Selects the readers of a scout's order: the scan, an agent, or both. */
import type { RepoSettings } from "@triptych/contracts";
import type { AvailableAgents } from "../../agents/agent-registry.ts";
import { createTeamMember, type TeamMember } from "../../agents/team-members.ts";

export interface ScoutSelection {
  readonly scan: boolean;
  /** Null if no agent reads. */
  readonly teamMember: TeamMember | null;
}

/** Null if a required agent is missing. */
export function selectScouts(
  setting: RepoSettings["explore"]["scout"],
  agents: AvailableAgents,
): ScoutSelection | null {
  const coding = agents.all.find(({ adapter }) => CODING.has(adapter));
  const real = coding === undefined ? null : { cli: coding.cli, model: coding.models[0] ?? null, command: null };
  switch (setting) {
    case "scan":
      return { scan: true, teamMember: null };
    // A custom tool runs only where an agent is required: it may not be a reader.
    case "auto":
      return { scan: true, teamMember: real === null ? null : createTeamMember("scout", real, agents) };
    case "agent":
    case "both": {
      const member = real ?? agents.first;
      const teamMember = member === null ? null : createTeamMember("scout", member, agents);
      return teamMember === null ? null : { scan: setting === "both", teamMember };
    }
  }
}

const CODING: ReadonlySet<string> = new Set(["acp", "jsonl"]);
