/**
 * What the commands and agents of one run are shut in. Everything of a repository that is started passes here; the worker's own git
 * does not.
 */
import type { IsolationLevel, Network } from "@triptych/contracts";
import type { Prices } from "../model-proxy/spend-limit.ts";
import type { ModelProxy } from "../model-proxy/model-proxy.ts";
import type { IsolationOptions, RunLimits } from "../run-request.ts";
import type { RunFault } from "../run-error.ts";
import type { ProcessEnd, ProcessSpec } from "../process/run-process.ts";

/** What is started decides what it may reach: `agent` writes the tree, `reader` (planner, reviewer, scout) does not. */
export type LaunchPurpose = "setup" | "check" | "agent" | "reader";

/** Begins a process and resolves when it, and everything it started, is gone. */
export type LaunchProcess = (spec: ProcessSpec) => Promise<ProcessEnd>;

export interface SandboxFactory extends AsyncDisposable {
  readonly level: IsolationLevel;
  /** What really holds: below a sandbox every network is open. */
  readonly network: Network;
  readonly modelProxy: ModelProxy | null;
  launcher(purpose: LaunchPurpose): LaunchProcess;
  /** Opened anew for each verdict: what code of an agent did in one is not there in the next. */
  openCleanTree(): Promise<CleanTree>;
}

/**
 * Where checks judge what is to be delivered: an empty folder to put it in, which no agent has seen. In a sandbox its home is a copy of
 * the run's own, in which no code of an agent has run either. Gone when it is closed.
 */
export interface CleanTree extends AsyncDisposable {
  /** On the disk. */
  readonly tree: string;
  /** The same folder, as what is started here sees it. */
  readonly seenAs: string;
  launcher(purpose: LaunchPurpose): LaunchProcess;
}

export interface SandboxFolders {
  readonly tree: string;
  /** The repository folder: never to be written from inside. */
  readonly gitFolder: string;
  /** Objects that the `.git` of setup and checks borrows; absent where there is none. */
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
  /** A limit of the whole run was passed: the run is to end. */
  readonly onBroken: (fault: RunFault) => void;
}

/** Throws `RunFault` `isolation_unavailable` where the order asks for more than there is. */
export type CreateSandbox = (folders: SandboxFolders, request: SandboxRequest) => Promise<SandboxFactory>;
