/** What the phases of one run share: where it happens, with what, and to whom it tells. */
import type { Baselines } from "../baselines.ts";
import type { Spending } from "../agents/usage-tracker.ts";
import type { SandboxFactory } from "../sandbox/sandbox-factory.ts";
import type { Environment } from "../process/environment.ts";
import type { CheckRepository } from "../git/check-repository.ts";
import type { Git } from "../git/git.ts";
import type { Snapshots } from "../git/snapshots.ts";
import type { Redactor } from "@triptych/redaction";
import type { Reporter } from "../reporter.ts";
import type { RunRequest } from "../run-request.ts";
import type { ProposedSoFar } from "../team/memory-proposals.ts";

export interface RunContext {
  readonly request: RunRequest;
  readonly folder: string;
  readonly tree: string;
  /** The same folder on the disk of the worker. */
  readonly treeOnDisk: string;
  readonly checkRepository: CheckRepository;
  readonly environment: Environment;
  /** Besides, of the setup command: the way to registries, and sealed variables of the repository. */
  readonly setupEnvironment: Environment;
  readonly sandbox: SandboxFactory;
  readonly git: Git;
  readonly snapshots: Snapshots;
  /** The same repository, for another folder. */
  readonly gitIn: (tree: string) => Git;
  readonly baselines: Baselines;
  readonly spent: Spending;
  /** Memories that the team has proposed. */
  readonly proposed: ProposedSoFar;
  readonly redactor: Redactor;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
}
