/** Selects the agents of a run: a team that changes the tree, or scouts that read it. */
import type { AvailableAgents } from "../agents/agent-registry.ts";
import type { AgentName } from "../run/run-request.ts";
import { selectScouts, type ScoutSelection } from "../phases/explore/select-scouts.ts";
import { createTeam, type Team } from "../agents/team-members.ts";
import { teamOf, type Assign } from "./wire.ts";

export type AgentSelection =
  | { readonly kind: "team"; readonly team: Team }
  | { readonly kind: "scouts"; readonly scouts: ScoutSelection };

/** Null if a required agent is missing. */
export function selectAgents(assign: Assign, agents: AvailableAgents): AgentSelection | null {
  if (assign.kind === "explore") {
    const scouts = selectScouts(assign.explore.scout, agents);
    return scouts === null ? null : { kind: "scouts", scouts };
  }
  const team = createTeam(teamOf(assign), agents);
  return team === null ? null : { kind: "team", team };
}

export function namesOf(selection: AgentSelection): string {
  if (selection.kind === "scouts") {
    const { scan, teamMember } = selection.scouts;
    return [...(scan ? ["scan"] : []), ...(teamMember === null ? [] : [teamMember.member.cli])].join(", ");
  }
  return [...new Set(agentsOf(selection.team).map(({ cli }) => cli))].join(", ");
}

export function agentsOf({ planner, coders, reviewers }: Team): readonly AgentName[] {
  const teamMembers = [...(planner === null ? [] : [planner]), ...coders, ...reviewers];
  return teamMembers.map(({ role, member: { cli, model } }) => ({ role, cli, model }));
}
