/** State shared by the phases of one run: folders, settings and reporter. */
import type { Baselines } from "./baselines.ts";
import type { RunDependencies } from "../dependencies/run-dependencies.ts";
import type { Spending } from "../agents/usage-tracker.ts";
import type { SandboxFactory } from "../sandbox/sandbox-factory.ts";
import type { Environment } from "../process/environment.ts";
import type { CheckRepository } from "../git/check-repository.ts";
import type { GuidelineFile } from "@triptych/change-policy";
import type { Git } from "@triptych/git";
import type { Snapshots } from "../git/snapshots.ts";
import type { Redactor } from "@triptych/redaction";
import type { Reporter } from "../run/reporter.ts";
import type { RunError } from "../run/run-error.ts";
import type { RunRequest } from "../run/run-request.ts";
import type { ProposedSoFar } from "./team/memory-proposals.ts";

export interface RunContext {
  readonly request: RunRequest;
  readonly folder: string;
  readonly tree: string;
  /** The same folder on the worker's disk. */
  readonly treeOnDisk: string;
  /** Home of setup and first checks: the same path inside and on the disk. */
  readonly home: string;
  readonly checkRepository: CheckRepository;
  readonly environment: Environment;
  /** Additional variables of the setup command: registry access, and sealed variables of the repository. */
  readonly setupEnvironment: Environment;
  readonly sandbox: SandboxFactory;
  readonly git: Git;
  readonly gitFolder: string;
  /** The base commit, or the tree of a merge, with which the delivery is compared. */
  readonly comparedWith: string;
  readonly snapshots: Snapshots;
  /** Git on the same repository, for another folder. */
  readonly gitIn: (tree: string) => Git;
  readonly baselines: Baselines;
  /** Null if nothing is cached. */
  readonly dependencies: RunDependencies | null;
  readonly spent: Spending;
  /** Memories proposed by the team. */
  readonly proposed: ProposedSoFar;
  readonly redactor: Redactor;
  readonly reporter: Reporter;
  /** Files of the base commit for agents, as data. */
  readonly conventions: readonly GuidelineFile[];
  readonly signal: AbortSignal;
  /** Ends the run as failed. */
  readonly end: (why: RunError) => void;
  /** Monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}
