/** The interface of all agents; each adapter is one file. */
import type { Usage } from "../run/usage.ts";
import type { LaunchProcess } from "../sandbox/sandbox-factory.ts";
import type { ModelProxy } from "../model-proxy/model-proxy.ts";
import type { Environment } from "../process/environment.ts";

/** A team member as the order names it; `command` is for the adapter of that name. */
export interface AgentMember {
  readonly cli: string;
  readonly model: string | null;
  readonly command: readonly string[] | null;
}

export interface Agent {
  /** Set if a second round would only repeat the first. */
  readonly isDeterministic?: true;
  /** Starts package managers and no model, so it gets the variables of the setup command. */
  readonly usesSetupEnvironment?: true;
  start(task: AgentTask): AgentSession;
}

export interface AgentTask {
  readonly tree: string;
  /** Folder for files that the adapter writes; never inside the tree. */
  readonly folder: string;
  readonly prompt: string;
  readonly model: string | null;
  readonly mode: "ro" | "rw";
  /** 1 for the first task of this member in a run. */
  readonly round: number;
  readonly environment: Environment;
  /** Whether the base commit contains this path; absent if unknown. */
  readonly isTracked?: (path: string) => Promise<boolean>;
  /** Starts its processes at the isolation level of the run. */
  readonly launch: LaunchProcess;
  /** Access to its model; null if the agent has its own access or needs none. */
  readonly modelProxy: ModelProxy | null;
  /** The sandbox blocks forbidden writes; otherwise the agent must restrict itself. */
  readonly isShutIn: boolean;
  readonly limits: { readonly timeoutMs: number; readonly silenceMs: number };
}

export interface AgentSession extends AsyncIterable<AgentItem> {
  cancel(): void;
  usage(): Usage;
  /** The result; `running` until the iteration ends. */
  end(): AgentEnd;
}

export interface AgentItem {
  readonly kind: "message" | "log" | "plan" | "tool_call" | "tool_result";
  readonly text: string;
}

export type AgentEnd =
  | { readonly kind: "running" | "cancelled" | "timeout" | "silence" }
  /** Any exit code ends the session, because the tree is the result. `trouble` is the error that the agent reports. */
  | { readonly kind: "done"; readonly exitCode: number; readonly error: AgentError | null }
  | { readonly kind: "failed"; readonly message: string };

export interface AgentError {
  readonly about: "auth" | "model_not_found" | "rate_limited" | "network" | "other";
  readonly message: string;
}
