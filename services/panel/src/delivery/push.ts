/**
 * The effect of `pushing`: creates the run's branch at the forge. It first checks for the branch, so an unrecorded push is found and not
 * repeated.
 */
import type { Blobs } from "../domain/delivery-repositories.ts";
import type { EffectRefusal } from "../domain/effects.ts";
import type { RunRecord } from "../domain/records.ts";
import { targetBranchOf } from "../domain/run-branch.ts";
import { GitError } from "@triptych/git";
import { ForgeError, type Forge } from "../forges/forge.ts";
import type { Mirrors } from "../git/mirrors.ts";
import { openQuarantine } from "../git/quarantine.ts";
import { type PushAnswer, type RemoteRepo, type Remotes } from "../git/remote.ts";
import { Unreachable } from "../git/addresses.ts";

export interface PushTools {
  readonly blobs: Blobs;
  readonly mirrors: Mirrors;
  readonly remotes: Remotes;
  readonly folder: string;
}

/** Null when the branch is at the run's head. */
export async function pushRun(
  tools: PushTools,
  repo: RemoteRepo,
  { run, forge }: { readonly run: RunRecord; readonly forge: Forge | null },
): Promise<EffectRefusal | null> {
  const { headSha, base, bundle } = run.facts;
  if (headSha === null || base === null || bundle === null) throw new Error(`run ${run.id} is pushing without a head`);
  const { followUp } = run.spec;
  const branch = targetBranchOf(run);
  // A follow-up replaces only the head that it started from.
  const expected = followUp === undefined ? null : base.sha;
  try {
    const before = await remoteSha(tools, repo, branch);
    if (before === headSha) return null;
    if (before === null && expected !== null)
      return refusal("branch_gone", `Branch ${branch} was deleted.`, { isFinal: true });
    if (before !== expected) return branchMoved(branch, before ?? "");
    if (followUp !== undefined && forge !== null) {
      // If the pull request was merged or closed since the run started, nobody expects another commit on its branch.
      const { state } = await forge.getPr(followUp.prNumber);
      if (state !== "open") return refusal("pr_closed", `The pull request was ${state}.`, { isFinal: true });
    }
    const merge = followUp?.merge ?? null;
    const request = { branch, headSha, expected, bundle: bundle.sha256, base: base.branch, merge, runId: run.id };
    // The bundle's base may be newer than this node's mirror.
    const pushed = await pushBranch(tools, repo, { ...request, maxAgeMs: FRESH_MS }).catch((error: unknown) => {
      if (error instanceof GitError) return pushBranch(tools, repo, { ...request, maxAgeMs: 0 });
      throw error;
    });
    if (pushed === null) return refusal("branch_gone", "The bundle of the run has expired.", { isFinal: true });
    if (pushed.kind === "refused")
      return refusal("forge_error", `The forge rejected the push: ${pushed.why}`, { isFinal: true });
    const after = await remoteSha(tools, repo, branch);
    if (after === headSha) return null;
    if (after !== null) return branchMoved(branch, after);
    return refusal("forge_error", "The forge accepted the push, but the branch is missing.", { isFinal: false });
  } catch (error) {
    if (error instanceof Unreachable) return refusal("forge_error", sentence(error), { isFinal: false });
    if (error instanceof ForgeError) return refusal("forge_error", error.message, { isFinal: false });
    if (error instanceof GitError)
      return refusal("forge_error", "The bundle does not apply to the current base branch.", { isFinal: false });
    throw error;
  }
}

interface PushRequest {
  readonly branch: string;
  readonly headSha: string;
  /** Null: the branch must not exist. */
  readonly expected: string | null;
  readonly bundle: string;
  readonly base: string;
  readonly merge: string | null;
  readonly runId: string;
  readonly maxAgeMs: number;
}

async function pushBranch(tools: PushTools, repo: RemoteRepo, request: PushRequest): Promise<PushAnswer | null> {
  const { branch, headSha, expected, bundle, base, merge, runId, maxAgeMs } = request;
  // Both branches of a merge belong to the bundle's prerequisites.
  if (merge !== null) await tools.mirrors.use({ repo, branch: merge, maxAgeMs }, async () => {});
  return tools.mirrors.use({ repo, branch: base, maxAgeMs }, (mirror) =>
    tools.blobs.withFile(bundle, async (bundlePath) => {
      await using quarantine = await openQuarantine({ folder: tools.folder, mirror, bundlePath, runId });
      // Awaited here: the quarantine is deleted when this block ends.
      return await tools.remotes.reach(repo, quarantine.folder, (remote) =>
        expected === null ? remote.create(branch, headSha) : remote.advance(branch, headSha, expected),
      );
    }),
  );
}

const FRESH_MS = 60 * 60_000;

function sentence({ message }: Unreachable): string {
  return `Repository unreachable: ${message}`;
}

/** Null if the branch does not exist. Throws `Unreachable`. */
export async function remoteSha(
  { remotes }: Pick<PushTools, "remotes">,
  repo: RemoteRepo,
  branch: string,
): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  return remotes.reach(repo, "/nonexistent", async (remote) => (await remote.list([ref])).refs.get(ref) ?? null);
}

export function branchMoved(branch: string, sha: string): EffectRefusal {
  const detail = `Someone else pushed to branch ${branch}.`;
  return { ...refusal("branch_moved", detail, { isFinal: true }), members: { branch, remote_sha: sha } };
}

export function refusal(
  code: EffectRefusal["code"],
  detail: string,
  { isFinal }: { readonly isFinal: boolean },
): EffectRefusal {
  return { code, detail, members: {}, retryAt: null, isFinal };
}
