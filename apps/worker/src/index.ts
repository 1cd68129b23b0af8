export type { Agent, AgentEnd, AgentItem, AgentMember, AgentSession, AgentTask, Usage } from "./agents/agent.ts";
export { createCommandAgent } from "./agents/command.ts";
export { createScriptedAgent, readScript, type AgentScript, type Wait } from "./agents/scripted.ts";
export { createMirrors, type Mirrors } from "./git/clone.ts";
export { createRedactor, type RedactedStream, type Redactor } from "@triptych/redaction";
export type { BusItem, Reporter, StateChange } from "./reporter.ts";
export type { Bundle, CheckReport, DiffSize, RunCode, RunLimits, RunOrder, RunOutcome } from "./run-order.ts";
export { runPhases, type RunTools } from "./run-phases.ts";
