/**
 * Members of a team: those that the run names, and the default agent for the other roles of the preset. Coders alternate by round, all
 * reviewers must approve, the first planner plans.
 */
import type { AgentRole } from "../run/run-request.ts";
import type { TeamRole } from "@triptych/contracts";
import type { Agent, AgentMember } from "./agent.ts";
import type { AvailableAgents } from "./agent-registry.ts";

export interface TeamMember {
  readonly role: AgentRole;
  readonly member: AgentMember;
  readonly agent: Agent;
}

export interface Team {
  readonly planner: TeamMember | null;
  readonly coders: readonly [TeamMember, ...TeamMember[]];
  readonly reviewers: readonly TeamMember[];
  /** Roles of the preset for which no agent fits. The run continues without them and reports it. */
  readonly missing: readonly TeamRole[];
}

export interface TeamOptions {
  readonly preset: "solo" | "pair" | "trio";
  readonly members: readonly {
    readonly role: TeamRole;
    readonly cli: string;
    readonly model?: string;
    readonly command?: readonly string[];
  }[];
}

const ROLES: Readonly<Record<TeamOptions["preset"], readonly TeamRole[]>> = {
  solo: ["coder"],
  pair: ["coder", "reviewer"],
  trio: ["planner", "coder", "reviewer"],
};

/** Null if a named member is missing, or there is no coder. */
export function createTeam({ preset, members }: TeamOptions, agents: AvailableAgents): Team | null {
  const teamMembers: TeamMember[] = [];
  for (const { role, cli, model = null, command = null } of members) {
    const teamMember = createTeamMember(role, { cli, model, command }, agents);
    if (teamMember === null) return null;
    teamMembers.push(teamMember);
  }
  const missing: TeamRole[] = [];
  for (const role of ROLES[preset]) {
    if (teamMembers.some((existing) => existing.role === role)) continue;
    const teamMember = agents.first === null ? null : createTeamMember(role, agents.first, agents);
    if (teamMember === null) missing.push(role);
    else teamMembers.push(teamMember);
  }
  const [coder, ...coders] = teamMembers.filter(({ role }) => role === "coder");
  if (coder === undefined) return null;
  return {
    planner: teamMembers.find(({ role }) => role === "planner") ?? null,
    coders: [coder, ...coders],
    reviewers: teamMembers.filter(({ role }) => role === "reviewer"),
    missing,
  };
}

export function createTeamMember(role: AgentRole, member: AgentMember, agents: AvailableAgents): TeamMember | null {
  const agent = agents.agentFor(member);
  return agent === undefined ? null : { role, member, agent };
}

export function soloTeam(member: AgentMember, agent: Agent): Team {
  return { planner: null, coders: [{ role: "coder", member, agent }], reviewers: [], missing: [] };
}
