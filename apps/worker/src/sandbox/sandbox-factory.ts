/** The isolation of a run: every program of a repository starts here. */
import type { IsolationLevel, Network } from "@triptych/contracts";
import type { Prices } from "../run/usage.ts";
import type { ModelProxy } from "../model-proxy/model-proxy.ts";
import type { IsolationOptions, RunLimits } from "../run/run-request.ts";
import type { RunError } from "../run/run-error.ts";
import type { ProcessEnd, ProcessSpec } from "../process/run-process.ts";

/** The purpose decides access: `agent` writes the tree, `reader` (planner, reviewer, scout) does not. */
export type LaunchPurpose = "setup" | "check" | "agent" | "reader";

/** Starts a process and resolves when it and its descendants have ended. */
export type LaunchProcess = (spec: ProcessSpec) => Promise<ProcessEnd>;

export interface SandboxFactory extends AsyncDisposable {
  readonly level: IsolationLevel;
  /** The enforced policy: without a sandbox every network is open. */
  readonly network: Network;
  readonly modelProxy: ModelProxy | null;
  launcher(purpose: LaunchPurpose): LaunchProcess;
  /** Created for each verdict, so that agent code of one run of the checks cannot affect the next. */
  openCleanTree(): Promise<CleanTree>;
}

/** A folder for checks of the delivery, which no agent has seen. In a sandbox its home is a copy of the run's home. Removed on close. */
export interface CleanTree extends AsyncDisposable {
  readonly tree: string;
  /** The same folder, as processes inside see it. */
  readonly seenAs: string;
  launcher(purpose: LaunchPurpose): LaunchProcess;
}

export interface SandboxFolders {
  readonly tree: string;
  /** The repository folder: never writable from inside. */
  readonly gitFolder: string;
  /** Objects that the `.git` of setup and checks borrows; absent if there is none. */
  readonly objects?: string;
  /** Home, temporary folder and notes of this run alone. */
  readonly home: string;
  readonly temporary: string;
  readonly notes: string;
}

export interface SandboxRequest {
  readonly isolation: IsolationOptions;
  readonly limits: RunLimits;
  readonly prices: Prices;
  /** A limit of the whole run was exceeded: the run must end. */
  readonly onBroken: (error: RunError) => void;
}

/** Throws `RunError` `isolation_unavailable` if the order requires a higher level. */
export type CreateSandbox = (folders: SandboxFolders, request: SandboxRequest) => Promise<SandboxFactory>;
