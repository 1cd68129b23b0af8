/** Stores what a report reveals about the AI policy of a repository. */
import type { ReportData, ReportedState } from "@triptych/contracts";
import type { Redactor } from "@triptych/redaction";
import { reportedFinding, withFinding } from "../domain/ai-policy.ts";
import type { Judgement } from "../domain/delivery.ts";
import type { AiPolicyRecord, RunRecord } from "../domain/records.ts";
import type { Repositories } from "../domain/repositories.ts";

interface PolicyReport {
  readonly state: ReportedState;
  readonly data: ReportData[ReportedState];
  readonly judgement: Judgement | null;
  readonly redactor: Redactor;
}

/** The finding about the base commit, from the panel's own check or from a worker that ended the run because of it. */
export function foundPolicy({ state, data, judgement, redactor }: PolicyReport, at: number): AiPolicyRecord | null {
  if (judgement?.kind === "accepted") return judgement.facts.aiPolicy ?? null;
  if (judgement?.kind === "refused") return judgement.aiPolicy ?? null;
  const reported = state === "failed" ? (data as ReportData["failed"]).ai_policy : undefined;
  if (reported === undefined) return null;
  return withFinding(
    null,
    reportedFinding(reported, (text) => redactor.text(text)),
    at,
  );
}

/** Only the default branch sets the policy of a repo. */
export async function notePolicy({ repos }: Repositories, run: RunRecord, found: AiPolicyRecord | null): Promise<void> {
  const repo = found === null ? null : await repos.find(run.repoId);
  if (found === null || repo === null) return;
  if (run.spec.baseBranch !== null && run.spec.baseBranch !== repo.defaultBranch) return;
  await repos.notePolicy(repo.id, withFinding(repo.aiPolicy, found, found.checkedAt));
}
