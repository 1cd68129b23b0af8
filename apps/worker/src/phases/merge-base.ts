/** Merges the base branch of a pull request into its head, before an agent resolves the conflicts. */
import { GitError, type Git } from "@triptych/git";
import { createSnapshots } from "../git/snapshots.ts";
import { RunError } from "../run/run-error.ts";
import type { RunContext } from "./run-context.ts";

export interface BaseMerge {
  /** The commit that was merged. */
  readonly sha: string;
  readonly conflicts: readonly string[];
  readonly treeId: string;
  /** The context of the merged tree. Whatever differs from that tree, the agent has changed. */
  readonly context: RunContext;
}

const CONFLICTS_MAX = 1_000;

/** Writes the merged files, with markers where they conflict, into the tree of the run. */
export async function mergeBase(
  context: RunContext,
  { branch, sha }: { branch: string; sha: string },
): Promise<BaseMerge> {
  const { git, gitFolder, request } = context;
  const head = request.clone.sha;
  const printed = await mergeTree(git, head, sha);
  const [treeId = "", ...names] = printed.split("\0").filter(Boolean);
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(treeId))
    throw new RunError("merge_conflict", `${JSON.stringify(branch)} cannot be merged`);
  const conflicts = [...new Set(names)].slice(0, CONFLICTS_MAX);
  // Ignored files that setup created stay.
  const environment = { GIT_INDEX_FILE: `${gitFolder}/merge.index` };
  await git.run(["read-tree", head], { environment });
  await git.run(["read-tree", "--reset", "-u", treeId], { environment });
  const listed = conflicts.join("\n");
  const title = "Files with conflict markers, to be resolved";
  const evidence = conflicts.length === 0 ? [] : [{ title, text: listed, path: null, line: null }];
  const followUp = { merge: branch, evidence: [...(request.followUp?.evidence ?? []), ...evidence] };
  return {
    sha,
    conflicts,
    treeId,
    context: {
      ...context,
      request: { ...request, followUp },
      comparedWith: treeId,
      snapshots: createSnapshots(git, treeId, gitFolder),
    },
  };
}

/** Exit code 1: merged with conflicts. */
async function mergeTree(git: Git, head: string, sha: string): Promise<string> {
  const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", head, sha];
  try {
    return (await git.run(args)).toString("utf8");
  } catch (error) {
    if (error instanceof GitError && error.printed !== "") return error.printed;
    throw error;
  }
}

const MARKER = /^(?:<{7}|>{7}) /m;

/** Throws if a file that conflicted still has markers. */
export async function refuseMarkers({ git }: RunContext, { conflicts }: BaseMerge, treeId: string): Promise<void> {
  for (const path of conflicts) {
    const text = await git.run(["cat-file", "blob", `${treeId}:${path}`]).catch((error: unknown) => {
      // The file was removed, which also resolves its conflict.
      if (error instanceof GitError) return Buffer.alloc(0);
      throw error;
    });
    if (MARKER.test(text.toString("latin1")))
      throw new RunError("merge_conflict", `${JSON.stringify(path)} still has conflict markers`);
  }
}
