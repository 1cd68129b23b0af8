/** What the worker asks of any agent: one interface, one file for each adapter. */
import type { TeamRole } from "@triptych/contracts";
import type { LaunchProcess } from "../sandbox/sandbox-factory.ts";
import type { ModelProxy } from "../model-proxy/model-proxy.ts";
import type { Environment } from "../process/environment.ts";

/** Who is asked: the roles of a team, and who reads a repository for work to propose. */
export type AgentRole = TeamRole | "scout";

/** A member of the team as the order names it; `command` is for the adapter of that name. */
export interface AgentMember {
  readonly cli: string;
  readonly model: string | null;
  readonly command: readonly string[] | null;
}

export interface Agent {
  /** It does the same again when it is asked again: a second round would be the first one. */
  readonly isDeterministic?: true;
  /** It starts package managers, and no model: it gets the variables of the setup command. */
  readonly usesSetupEnvironment?: true;
  /** Begins to work when it is iterated. */
  start(task: AgentTask): AgentSession;
}

export interface AgentTask {
  readonly tree: string;
  /** For what the adapter must write down: never inside the tree. */
  readonly folder: string;
  readonly prompt: string;
  readonly model: string | null;
  readonly mode: "ro" | "rw";
  /** 1 for the first time this member is asked in a run. */
  readonly round: number;
  readonly environment: Environment;
  /** Whether the base commit holds a file of that path; absent: nobody knows. */
  readonly isTracked?: (path: string) => Promise<boolean>;
  /** How its processes begin: shut in as far as the run asks for. */
  readonly launch: LaunchProcess;
  /** The way to its model; null: the agent finds one by itself, or needs none. */
  readonly modelProxy: ModelProxy | null;
  /** The enclosure holds it off what it may not write; else it has to hold itself. */
  readonly isShutIn: boolean;
  readonly limits: { readonly timeoutMs: number; readonly silenceMs: number };
}

export interface AgentSession extends AsyncIterable<AgentItem> {
  cancel(): void;
  usage(): Usage;
  /** How it ended; `running` until the iteration is over. */
  end(): AgentEnd;
}

export interface AgentItem {
  readonly kind: "message" | "log" | "plan" | "tool_call" | "tool_result";
  readonly text: string;
}

/** Of one session. */
export interface Usage {
  readonly inputTokens: number;
  /** Of the tokens read, those that the model had at hand. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly turns: number;
  /** Millionths of a euro, of a dollar where an agent reports it; null where nobody knows. */
  readonly costMicro: number | null;
}

export type AgentEnd =
  | { readonly kind: "running" | "cancelled" | "timeout" | "silence" }
  /** Any exit code is an end: what counts is the tree it left. `trouble` is what the agent itself says it stumbled over. */
  | { readonly kind: "done"; readonly exitCode: number; readonly error: AgentError | null }
  | { readonly kind: "failed"; readonly message: string };

export interface AgentError {
  readonly about: "auth" | "model_not_found" | "rate_limited" | "network" | "other";
  readonly message: string;
}

export const NO_USAGE: Usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, turns: 0, costMicro: null };
