/** Decides whether a bundle may be pushed: checks base, head, paths, size and secrets, regardless of the worker's report. */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { judgeChanges, summarizeChange, warningsOf } from "@triptych/change-policy";
import type { ResultCode } from "@triptych/contracts";
import type { Blobs } from "../domain/delivery-repositories.ts";
import { effectiveStance, quotedSentence, withFinding } from "../domain/ai-policy.ts";
import type { Delivery, Judgement } from "../domain/delivery.ts";
import type { PanelStore } from "../domain/repositories.ts";
import type { RunRecord } from "../domain/records.ts";
import { GitError } from "@triptych/git";
import type { Mirror, Mirrors } from "../git/mirrors.ts";
import type { RemoteRepo } from "../git/remote.ts";
import { openQuarantine } from "../git/quarantine.ts";
import { readAiPolicy } from "./guidelines.ts";
import { secretsOf, type OpenRepo } from "./open-repo.ts";
import { readMerge } from "./read-merge.ts";
import { readRange, TooLarge, type Range } from "./read-range.ts";
import { Unreachable } from "../git/addresses.ts";

export interface DeliveryTools {
  readonly store: PanelStore;
  readonly blobs: Blobs;
  readonly mirrors: Mirrors;
  readonly openRepo: OpenRepo;
  readonly folder: string;
  readonly now: () => number;
  readonly findSecrets: FindSecrets;
  readonly keepDiff: (owner: string, run: RunRecord, diff: Buffer) => Promise<void>;
}

/** Finds secrets in added text, each with kind and place: known values (by name) and likely secrets. */
export type FindSecrets = (
  secretsByValue: ReadonlyMap<string, string>,
  added: Range["added"],
) => Promise<readonly string[]>;

export function createDelivery(tools: DeliveryTools): Delivery {
  return {
    async judge(owner, run, { headSha }) {
      const { base } = run.facts;
      const upload = await tools.store.of(owner).uploads.delivery(run.id, run.epoch);
      if (base === null) return refused("bundle_invalid", "The worker did not report the base commit of the run.");
      if (upload === null) return refused("bundle_invalid", "No bundle was uploaded for this epoch.");
      if (run.spec.baseBranch !== null && run.spec.baseBranch !== base.branch)
        return refused("bundle_invalid", "The run started from a different branch than requested.");
      const repo = await tools.openRepo(owner, run.repoId);
      if (repo === null) return refused("push_refused", "The repository was deleted.");
      const secrets = secretsOf(repo);
      const request = { repo, branch: base.branch };
      try {
        // The base was fetched when the run started: fetch again only if the mirror lacks it.
        const checkChange = (maxAgeMs: number) =>
          tools.mirrors.use({ ...request, maxAgeMs }, (mirror) =>
            judgeBundle(tools, { owner, run, headSha, base: base.sha, bundle: upload, mirror, secrets, repo }),
          );
        return (await checkChange(Infinity)) ?? (await checkChange(0)) ?? refused("bundle_invalid", NOT_ON_BRANCH);
      } catch (error) {
        if (error instanceof Unreachable)
          return { kind: "unreachable", message: `Repository unreachable: ${error.message}` };
        throw error;
      }
    },
  };
}

const NOT_ON_BRANCH = "The base commit of the run is not on the base branch.";

interface BundleCheck {
  readonly repo: RemoteRepo;
  readonly owner: string;
  readonly run: RunRecord;
  readonly headSha: string;
  readonly base: string;
  readonly bundle: { readonly sha256: string; readonly bytes: number };
  readonly mirror: Mirror;
  readonly secrets: readonly string[];
}

/** Null if the mirror's branch does not contain the base. */
async function judgeBundle(tools: DeliveryTools, judging: BundleCheck): Promise<Judgement | null> {
  const { run, base, bundle, mirror } = judging;
  if (!(await isOn(mirror, base))) return null;
  const finding = await readAiPolicy(mirror.git, base, judging.secrets);
  const present = await tools.store.of(judging.owner).repos.find(run.repoId);
  const aiPolicy = withFinding(present?.aiPolicy ?? null, finding, tools.now());
  if (effectiveStance(aiPolicy) === "forbidden")
    return { kind: "refused", code: "policy_forbids", message: quotedSentence(aiPolicy), aiPolicy };
  const merge = run.spec.followUp?.merge ?? null;
  const merging = { repo: judging.repo, branch: merge, maxAgeMs: 0 };
  // Its objects are prerequisites of the bundle.
  const mergedBranchSha = merge === null ? null : await tools.mirrors.use(merging, async ({ sha }) => sha);
  const judged = await tools.blobs.withFile(bundle.sha256, async (bundlePath) => {
    try {
      await using quarantine = await openQuarantine({ folder: tools.folder, mirror, bundlePath, runId: run.id });
      const range =
        mergedBranchSha === null
          ? await readRange(quarantine.git, { base, runId: run.id })
          : await readMerge(quarantine.git, { base, mergedBranchSha, runId: run.id });
      if (range === null)
        return refused("bundle_invalid", "The branch is not a merge of its head and the base branch.");
      const judged = await judgeRange(tools, judging, range);
      if (judged.kind !== "accepted") return judged;
      await tools.keepDiff(judging.owner, run, range.diff);
      return { ...judged, facts: { ...judged.facts, aiPolicy } };
    } catch (error) {
      if (error instanceof TooLarge) return refused("diff_too_large", error.message);
      if (error instanceof GitError)
        return refused("bundle_invalid", `Git cannot read the bundle: ${error.stderr.slice(-300)}`);
      throw error;
    }
  });
  return judged ?? refused("bundle_invalid", "The bundle has expired.");
}

async function isOn({ git, sha }: Mirror, base: string): Promise<boolean> {
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(base)) return false;
  return git.run(["merge-base", "--is-ancestor", base, sha]).then(
    () => true,
    (error: unknown) => {
      if (error instanceof GitError) return false;
      throw error;
    },
  );
}

async function judgeRange(
  { findSecrets }: DeliveryTools,
  { run, headSha, bundle, secrets }: BundleCheck,
  range: Range,
): Promise<Judgement> {
  if (range.head !== headSha)
    return refused("bundle_invalid", "The head of the bundle differs from the commit that the worker reported.");
  if (!range.isForward) return refused("bundle_invalid", "The branch does not descend from the base commit.");
  if (range.changes.length === 0 && run.spec.followUp?.merge == null)
    return refused("bundle_invalid", "The branch changes no files.");
  const { limits, protected_paths } = run.spec.settings;
  const violations = judgeChanges(range.changes, range.size, {
    protectedPaths: [...protected_paths, ...(run.spec.gate?.frozen_paths ?? [])],
    mayAddIn: run.spec.mayAddProtected === true ? protected_paths : [],
    limits: { maxChangedFiles: limits.max_changed_files, maxDiffLines: limits.max_diff_lines },
  });
  const [gravest] = violations;
  if (gravest !== undefined) return refused(gravest.code, listed(violations.map(({ message }) => message)));
  const secretsByValue = new Map(secrets.map((secret) => ["repo_credential", secret]));
  const findings = await findSecrets(secretsByValue, range.added);
  if (findings.length > 0) return refused("secret_in_diff", `The change adds secrets: ${listed(findings)}.`);
  const warnings = [...new Set([...run.facts.warnings, ...warningsOf(range.changes)])];
  const summaries = summarizeChange(range.changes.map(({ path }) => path));
  const { files, insertions, deletions } = range.size;
  const diff = { files, insertions, deletions, patch_id: range.patchId };
  return { kind: "accepted", facts: { headSha, bundle, diff, parents: range.parents, summaries, warnings } };
}

function refused(code: ResultCode, message: string): Judgement {
  return { kind: "refused", code, message };
}

const NAMED = 20;

function listed(messages: readonly string[]): string {
  const more = messages.length > NAMED ? `; and ${messages.length - NAMED} more` : "";
  return messages.slice(0, NAMED).join("; ") + more;
}

interface DiffStorage {
  readonly store: PanelStore;
  readonly blobs: Blobs;
  readonly folder: string;
}

export function keepDiffIn({ store, blobs, folder }: DiffStorage): DeliveryTools["keepDiff"] {
  return async (owner, run, diff) => {
    const upload = await store.of(owner).uploads.delivery(run.id, run.epoch);
    if (upload === null) return;
    const diffSha256 = createHash("sha256").update(diff).digest("hex");
    // Unique: two epochs may be checked concurrently.
    const path = join(folder, `${run.id}-${randomUUID()}.diff`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, diff, { mode: 0o600 });
    await blobs.keep(path, diffSha256);
    await store.change(owner, ({ uploads }) =>
      uploads.keepDiff({ runId: run.id, epoch: run.epoch, sha256: upload.sha256, diffSha256 }),
    );
  };
}
