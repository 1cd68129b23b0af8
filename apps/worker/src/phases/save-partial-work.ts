/**
 * What was done when a limit ended the run: it is not judged and never pushed, but somebody paid for it and may want to see it. Said on
 * the bus as a diff; what is too long for a message goes with it as an artefact.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createGit, type GitContext } from "../git/git.ts";
import { createSnapshots } from "../git/snapshots.ts";
import type { Reporter } from "../reporter.ts";
import type { RunCode } from "../run-request.ts";

export interface PartialWork {
  readonly baseSha: string;
  /** No tree is there yet where the run ended before its clone. */
  readonly gitContext: Pick<GitContext, "gitFolder" | "environment"> & { readonly tree: string };
  readonly reporter: Reporter;
}

/** Of every limit of section 16; disk, memory and processes are passed as a `policy_violation`. */
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
/** As much as an artefact may hold, with room for what takes a secret's place. */
const DIFF_CHARACTERS_MAX = 3_000_000;

/** Never fails: a run that has ended is not to end otherwise because of what is kept of it. */
export async function savePartialWork(code: RunCode, { baseSha, gitContext, reporter }: PartialWork): Promise<void> {
  if (!LIMITS.has(code)) return;
  // The run's own signal has been given already.
  const git = createGit({ ...gitContext, signal: AbortSignal.timeout(LIMIT_MS) });
  const index = join(gitContext.gitFolder, "kept");
  try {
    await mkdir(index);
    const treeId = await createSnapshots(git, baseSha, index).take();
    const diff = (await git.run(["diff-tree", "-p", "--no-ext-diff", "--no-textconv", baseSha, treeId])).toString(
      "utf8",
    );
    if (diff === "") return;
    const isLong = diff.length > DIFF_CHARACTERS_MAX;
    const text = isLong ? `${diff.slice(0, DIFF_CHARACTERS_MAX)}\n[the rest was cut]\n` : diff;
    reporter.say({ from: { role: "worker" }, kind: "diff", text, data: { code }, round: 0 });
  } catch {
    reporter.say({ from: { role: "worker" }, kind: "log", text: "what was done so far could not be read", round: 0 });
  }
}
