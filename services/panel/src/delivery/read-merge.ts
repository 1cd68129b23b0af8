/** A merge of the base branch into the head of a pull request: only what differs from git's own merge is the run's change. */
import { ADDED_DIFF, readAdded } from "@triptych/change-policy";
import { GitError, type Git } from "@triptych/git";
import { branchOf } from "../domain/run-branch.ts";
import { addedBy, changesOf, diffOf, lineOf, measure, patchIdOf, refuseLarge, type Range } from "./read-range.ts";

interface MergeRequest {
  readonly base: string;
  /** Current head of the base branch; the merged commit must be in its history. */
  readonly mergedBranchSha: string;
  readonly runId: string;
}

/** Null if the head is not one merge commit of these two branches. */
export async function readMerge(git: Git, { base, mergedBranchSha, runId }: MergeRequest): Promise<Range | null> {
  const ref = `refs/heads/${branchOf(runId)}`;
  const [head = "", first, merged, ...others] = lineOf(
    await git.run(["rev-list", "--parents", "--max-count=1", "--end-of-options", ref]),
  ).split(" ");
  if (first !== base || merged === undefined || others.length > 0) return null;
  if (!(await isAncestor(git, merged, mergedBranchSha))) return null;
  await refuseLarge(git, [base, merged], [head]);
  const tree = await mergedTree(git, base, merged);
  const { entries, size } = await measure(git, tree, head);
  const added = readAdded((await git.run([...ADDED_DIFF, tree, head])).toString("utf8"));
  const texts = (await addedBy(git, [head])).filter(({ lines }) => lines.length === 0);
  return {
    head,
    isForward: true,
    parents: [first, merged],
    changes: await changesOf(git, entries),
    size,
    // Anyone can compute this from the commit: it is the difference to its first parent.
    patchId: await patchIdOf(git, base, head),
    added: [...added, ...texts],
    diff: await diffOf(git, tree, head),
  };
}

/** Has conflict markers where both sides changed; git exits with 1 in this case. */
async function mergedTree(git: Git, base: string, merged: string): Promise<string> {
  const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", base, merged];
  const printed = await git.run(args).then(
    (output) => output.toString("latin1"),
    (error: unknown) => {
      if (error instanceof GitError && error.printed !== "") return error.printed;
      throw error;
    },
  );
  return printed.split("\0")[0] ?? "";
}

function isAncestor(git: Git, sha: string, of: string): Promise<boolean> {
  return git.run(["merge-base", "--is-ancestor", sha, of]).then(
    () => true,
    (error: unknown) => {
      if (error instanceof GitError) return false;
      throw error;
    },
  );
}
