/** If a limit ends a run, sends its unchecked work as a diff on the bus, because somebody has paid for it. It is never pushed. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { workerGit, type RunGitContext } from "../git/git.ts";
import { createSnapshots } from "../git/snapshots.ts";
import type { Reporter } from "../run/reporter.ts";
import type { RunCode } from "../run/run-request.ts";

export interface PartialWork {
  readonly baseSha: string;
  /** The run ended before its clone if the tree does not exist. */
  readonly gitContext: Pick<RunGitContext, "gitFolder" | "environment"> & { readonly tree: string };
  readonly reporter: Reporter;
}

/** All limits of section 16; exceeding disk, memory or processes is a `policy_violation`. */
const LIMITS: ReadonlySet<RunCode> = new Set([
  "cost_cap",
  "token_cap",
  "turn_cap",
  "timeout",
  "idle_timeout",
  "diff_too_large",
  "policy_violation",
]);
const LIMIT_MS = 30_000;
/** The size of an artifact, less room for redaction. */
const DIFF_CHARACTERS_MAX = 3_000_000;

/** Never throws: saving must not change the outcome of an ended run. */
export async function savePartialWork(code: RunCode, { baseSha, gitContext, reporter }: PartialWork): Promise<void> {
  if (!LIMITS.has(code)) return;
  // The run's own signal is already aborted.
  const git = workerGit({ ...gitContext, signal: AbortSignal.timeout(LIMIT_MS) });
  const index = join(gitContext.gitFolder, "partial");
  try {
    await mkdir(index);
    const treeId = await createSnapshots(git, baseSha, index).take();
    const diff = (await git.run(["diff-tree", "-p", "--no-ext-diff", "--no-textconv", baseSha, treeId])).toString(
      "utf8",
    );
    if (diff === "") return;
    const isLong = diff.length > DIFF_CHARACTERS_MAX;
    const text = isLong ? `${diff.slice(0, DIFF_CHARACTERS_MAX)}\n[truncated]\n` : diff;
    reporter.say({ from: { role: "worker" }, kind: "diff", text, data: { code }, round: 0 });
  } catch {
    reporter.say({ from: { role: "worker" }, kind: "log", text: "the partial work could not be read", round: 0 });
  }
}
