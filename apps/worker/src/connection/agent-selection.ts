/** Who of this worker works on an order: a team that changes the tree, or scouts that read it. */
import type { AgentOffers } from "../agents/agent-registry.ts";
import type { AgentName } from "../run-request.ts";
import { seatScouts, type Scouts } from "../scouts/select-scouts.ts";
import { seatTeam, type Team } from "../team/team-members.ts";
import { teamOf, type Assign } from "./wire.ts";

export type Crew =
  | { readonly kind: "team"; readonly team: Team }
  | { readonly kind: "scouts"; readonly scouts: Scouts };

/** Null where somebody who is needed is not here. */
export function crewFor(assign: Assign, offers: AgentOffers): Crew | null {
  if (assign.kind === "explore") {
    const scouts = seatScouts(assign.explore.scout, offers);
    return scouts === null ? null : { kind: "scouts", scouts };
  }
  const team = seatTeam(teamOf(assign), offers);
  return team === null ? null : { kind: "team", team };
}

export function namesOf(crew: Crew): string {
  if (crew.kind === "scouts") {
    const { scan, seat } = crew.scouts;
    return [...(scan ? ["scan"] : []), ...(seat === null ? [] : [seat.member.cli])].join(", ");
  }
  return [...new Set(agentsOf(crew.team).map(({ cli }) => cli))].join(", ");
}

export function agentsOf({ planner, coders, reviewers }: Team): readonly AgentName[] {
  const seats = [...(planner === null ? [] : [planner]), ...coders, ...reviewers];
  return seats.map(({ role, member: { cli, model } }) => ({ role, cli, model }));
}
