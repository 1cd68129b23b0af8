/**
 * Writes the check run of a pushed run where a GitHub App may. It runs after each effect, so an attempt that failed is repeated with the
 * next look at the pull request; the run itself never depends on it.
 */
import { createRedactor } from "@triptych/redaction";
import type { EffectRecord } from "../domain/effects.ts";
import { checkTextOf } from "../domain/pr-text.ts";
import type { RunRecord } from "../domain/records.ts";
import type { PanelStore } from "../domain/repositories.ts";
import { runUrl } from "../domain/pr-provenance.ts";
import { ForgeError } from "../forges/forge.ts";
import type { OpenCheckRuns } from "../forges/open-forge.ts";
import type { OpenRepo } from "./open-repo.ts";

interface ReportOptions {
  readonly store: PanelStore;
  readonly openRepo: OpenRepo;
  readonly openCheckRuns: OpenCheckRuns;
  readonly publicUrl?: string | undefined;
  readonly onNotice: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

export type ReportCheck = (owner: string, effect: EffectRecord) => Promise<void>;

const redactor = createRedactor(new Map());
/** Bounds memory. An evicted entry costs a request, which finds the existing check run at the forge. */
const SETTLED_MAX = 10_000;

export function reportCheckWith(options: ReportOptions): ReportCheck {
  const { store, openRepo, openCheckRuns, publicUrl, onNotice } = options;
  const settled = new Set<string>();
  return async (owner, { runId, repoId }) => {
    const name = `${owner} ${runId}`;
    if (settled.has(name)) return;
    const repositories = store.of(owner);
    if ((await repositories.repos.find(repoId))?.credentialKind !== "github_app") return;
    const run = await repositories.runs.find(runId);
    const repo = await openRepo(owner, repoId);
    const checkRuns = repo === null || repo.isRemoved ? null : openCheckRuns(repo);
    if (run === null || checkRuns === null || run.facts.headSha === null || run.pushedAt === null) return;
    try {
      await checkRuns.report({
        ...textOf(run, publicUrl),
        runId,
        headSha: run.facts.headSha,
        completedAt: run.pushedAt,
      });
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      // 403 with a delay is a rate limit.
      const isForbidden = error.status === 403 && error.retryAfterS === null;
      const why = isForbidden ? "the app may not write checks" : error.message;
      onNotice({ run_id: runId, repo_id: repoId, status: error.status, why }, "check run skipped");
      if (!isForbidden) return;
    }
    if (settled.size >= SETTLED_MAX) settled.clear();
    settled.add(name);
  };
}

function textOf(run: RunRecord, publicUrl: string | undefined) {
  const { title, summary, isProven } = checkTextOf(run, publicUrl);
  return {
    conclusion: isProven ? ("success" as const) : ("neutral" as const),
    title,
    summary: redactor.text(summary),
    detailsUrl: publicUrl === undefined ? undefined : runUrl(publicUrl, run.id),
  };
}
