/**
 * Who sits in a team: the members that the order names, and for the roles of its preset that it leaves open the worker's own first
 * agent. Several coders take the rounds in turn, several reviewers must all approve, of several planners the first one plans.
 */
import type { TeamRole } from "@triptych/contracts";
import type { Agent, AgentMember, SeatRole } from "../agents/agent.ts";
import type { AgentOffers } from "../agents/agent-registry.ts";

export interface Seat {
  readonly role: SeatRole;
  readonly member: AgentMember;
  readonly agent: Agent;
}

export interface Team {
  readonly planner: Seat | null;
  readonly coders: readonly [Seat, ...Seat[]];
  readonly reviewers: readonly Seat[];
  /** Roles of the preset that nobody here can take: the run goes on without them, and says so. */
  readonly missing: readonly TeamRole[];
}

export interface TeamOrder {
  readonly preset: "solo" | "pair" | "trio";
  readonly members: readonly {
    readonly role: TeamRole;
    readonly cli: string;
    readonly model?: string;
    readonly command?: readonly string[];
  }[];
}

const ROLES: Readonly<Record<TeamOrder["preset"], readonly TeamRole[]>> = {
  solo: ["coder"],
  pair: ["coder", "reviewer"],
  trio: ["planner", "coder", "reviewer"],
};

/** Null where a member that is named is not here, or nobody writes. */
export function seatTeam({ preset, members }: TeamOrder, offers: AgentOffers): Team | null {
  const seats: Seat[] = [];
  for (const { role, cli, model = null, command = null } of members) {
    const seat = seatOf(role, { cli, model, command }, offers);
    if (seat === null) return null;
    seats.push(seat);
  }
  const missing: TeamRole[] = [];
  for (const role of ROLES[preset]) {
    if (seats.some((seat) => seat.role === role)) continue;
    const seat = offers.first === null ? null : seatOf(role, offers.first, offers);
    if (seat === null) missing.push(role);
    else seats.push(seat);
  }
  const [coder, ...coders] = seats.filter(({ role }) => role === "coder");
  if (coder === undefined) return null;
  return {
    planner: seats.find(({ role }) => role === "planner") ?? null,
    coders: [coder, ...coders],
    reviewers: seats.filter(({ role }) => role === "reviewer"),
    missing,
  };
}

export function seatOf(role: SeatRole, member: AgentMember, offers: AgentOffers): Seat | null {
  const agent = offers.agentFor(member);
  return agent === undefined ? null : { role, member, agent };
}

/** One agent alone, that writes. */
export function soloTeam(member: AgentMember, agent: Agent): Team {
  return { planner: null, coders: [{ role: "coder", member, agent }], reviewers: [], missing: [] };
}
