/** The dependency cache for one run: which part of its setup is cached, under which key, and when an entry may be used or made. */
import { createHash } from "node:crypto";
import type { Git } from "@triptych/git";
import type { RunRequest } from "../run/run-request.ts";
import { findCreatedPaths } from "./created-paths.ts";
import type { DependencyCache, RunFolders } from "./dependency-cache.ts";
import { splitSetup } from "./install-command.ts";
import { findLockInputs, listTree } from "./lock-inputs.ts";
import type { ToolVersions } from "./tool-versions.ts";

export interface DependencyTools {
  readonly cache: Pick<DependencyCache, "restore" | "keep">;
  /** False for a check of a repo, which must prove that the setup command works; its result serves the first run. */
  readonly isRead: boolean;
  readonly versions: ToolVersions;
  /** Everything else that affects a setup command, such as PATH and the image. */
  readonly host: Readonly<Record<string, string | undefined>>;
}

export interface PlannedInstall {
  readonly install: string;
  readonly rest: string | null;
  /** Name of the file, or of the commit, that decides the content. */
  readonly label: string;
  readonly key: string;
}

export interface RunDependencies {
  /** Null without a setup command. */
  plan(treeId: string): Promise<PlannedInstall | null>;
  /** `git` works in the tree of the folders. */
  restore(planned: PlannedInstall, round: number, folders: RunFolders): Promise<boolean>;
  /** Null if it is kept; else the reason. */
  keep(planned: PlannedInstall, git: Git, folders: RunFolders): Promise<string | null>;
}

export interface RunDependenciesOptions extends DependencyTools {
  readonly request: RunRequest;
  readonly git: Git;
  readonly gitFolder: string;
  readonly environment: Readonly<Record<string, string>>;
}

export function createRunDependencies(options: RunDependenciesOptions): RunDependencies {
  const { cache, isRead, request, git, gitFolder, versions } = options;
  /** Key of the setup that ran before the first agent. Only this entry is used for verdicts, because the home already has its content. */
  let prepared: string | null = null;

  return {
    async plan(treeId) {
      const { setupCommand } = request.verify;
      if (setupCommand === null) return null;
      const parts = splitSetup(setupCommand);
      const locked = parts.isLocked ? await findLockInputs(git, await listTree(git, treeId)) : null;
      const { install, rest } = locked === null ? { install: setupCommand, rest: null } : parts;
      const tree = (await git.run(["rev-parse", "--verify", `${treeId}^{tree}`])).toString("latin1").trim();
      const inputs = locked?.entries ?? tree;
      const { clone, isolation } = request;
      const { network, allowHosts } = isolation;
      const tools = await versions(install);
      const key = [FORMAT, clone.repository, install, inputs, network, allowHosts, variablesOf(options), tools];
      return { install, rest, label: locked?.label ?? `tree ${tree.slice(0, 8)}`, key: digest(key) };
    },
    async restore({ key }, round, folders) {
      if (round === 0) prepared = key;
      if (!isRead || key !== prepared) return false;
      return cache.restore(key, { ...folders, hasHome: round > 0 });
    },
    async keep({ key }, gitInTree, folders) {
      const { paths, changed } = await findCreatedPaths(gitInTree, gitFolder);
      if (changed > 0) return `the setup command changed ${changed} tracked files`;
      return cache.keep(key, { paths, folders });
    },
  };
}

const FORMAT = 2;

function variablesOf({ request, environment, host }: RunDependenciesOptions) {
  const sorted = (values: object) => Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [request.environment ?? [], sorted(environment), sorted(host)];
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
