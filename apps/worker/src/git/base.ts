/** The base of a run: the current commit of its branch, or of the default branch if the run names none. */
import { GitError } from "@triptych/git";
import type { Clock } from "../run/clock.ts";
import type { Environment } from "../process/environment.ts";
import { RunError } from "../run/run-error.ts";
import { fetchSettings, workerGit } from "./git.ts";
import { reach } from "./reachable-commit.ts";

export interface Base {
  readonly branch: string;
  readonly sha: string;
}

export interface FindBaseOptions {
  readonly url: string;
  readonly bearer: string | null;
  /** Address of the proxy; a direct connection if absent or null. */
  readonly proxy?: string | null;
  readonly branch: string | null;
  readonly sha: string | null;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Throws `RunError` `clone_failed`. */
export async function findBase({
  url,
  bearer,
  proxy = null,
  branch,
  sha,
  environment,
  signal,
  clock,
}: FindBaseOptions): Promise<Base> {
  if (branch !== null && sha !== null) return { branch, sha };
  // An invalid address never reaches git as an argument.
  if (!/^(?:https?|file):\/\/[^\s]+$/.test(url)) throw new RunError("clone_failed", "the order has no clone URL");
  const git = workerGit({ gitFolder: "/dev/null", environment, signal });
  const refs = branch === null ? ["HEAD"] : [`refs/heads/${branch}`];
  try {
    const listed = await reach(clock, signal, () =>
      git.run(["ls-remote", "--symref", "--", url, ...refs], {
        timeoutMs: LISTING_MS,
        settings: fetchSettings({ url, bearer, proxy }),
      }),
    );
    return baseOf(listed.toString("utf8"), branch);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GitError) throw new RunError("clone_failed", error.message, { cause: error });
    throw error;
  }
}

/** The panel queries the forge before it responds, so this allows for a slow forge. */
const LISTING_MS = 120_000;

function baseOf(listed: string, requestedBranch: string | null): Base {
  const branch = requestedBranch ?? /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed)?.[1];
  const name = requestedBranch === null ? "HEAD" : `refs/heads/${requestedBranch}`;
  const line = listed.split("\n").find((line) => line.endsWith(`\t${name}`) && !line.startsWith("ref: "));
  if (branch === undefined || line === undefined) {
    const what = requestedBranch === null ? "no default branch" : `no branch ${JSON.stringify(requestedBranch)}`;
    throw new RunError("clone_failed", `the repository has ${what}, or the branch is empty`);
  }
  return { branch, sha: line.split("\t")[0] };
}
