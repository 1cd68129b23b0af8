import type * as contract from "@triptych/contracts";
import type { FollowUpCause } from "@triptych/contracts";
import type { RequestHandler } from "@triptych/server";
import { refuseByPlan } from "../domain/create-run.ts";
import { orNotFound, DomainError } from "../domain/domain-error.ts";
import type { Finding, PrSeen, PrWatch } from "../domain/follow-ups.ts";
import type { Panel } from "../domain/panel.ts";
import type { RunRecord } from "../domain/records.ts";
import type { Repositories } from "../domain/repositories.ts";
import { storedFinding } from "../follow-ups/find-cause.ts";
import { startFollowUp } from "../domain/start-follow-up.ts";
import { positionOfNew, readQueueSnapshot } from "../queue/view.ts";
import { mayWrite, type Caller } from "./caller.ts";
import { runShape } from "./response-mappers.ts";
import { inTransaction } from "./transactional.ts";

export function followUpRunHandler(panel: Panel): RequestHandler<typeof contract.followUpRun, Caller> {
  return async (context) => {
    const { caller, params, body } = context;
    const owner = caller.account.id;
    const snapshot = await readQueueSnapshot(panel, { owner, repositories: panel.store.of(owner) });
    return inTransaction(panel, context, async (repositories) => {
      const named = orNotFound(await repositories.runs.find(params.id), "run");
      mayWrite(caller);
      await refuseByPlan(repositories, "maintain", { account: caller.account, now: panel.now() });
      const { parent, watch } = await followable(repositories, named);
      const repo = orNotFound(await repositories.repos.find(parent.repoId), "repo");
      const start = { watch, parent, finding: findingFor(watch, parent, body.cause), focus: body.focus ?? null };
      const { isolationMin } = panel.allows;
      const making = { id: panel.newId("run"), now: panel.now(), isolationMin };
      const started = await startFollowUp(repositories, { ...start, isAutomatic: false }, making);
      await repositories.followUps.save(started.watch);
      return {
        status: 202,
        body: runShape(started.run, positionOfNew(started.run, repo, snapshot)),
        headers: { Location: `/api/runs/${started.run.id}` },
      };
    });
  };
}

async function followable(
  { runs, followUps }: Repositories,
  named: RunRecord,
): Promise<{ readonly parent: RunRecord; readonly watch: PrWatch }> {
  const parentId = named.spec.followUp?.parentRunId;
  const parent = parentId === undefined ? named : await runs.find(parentId);
  const watch = parent === null ? null : await followUps.find(parent.id);
  if (parent?.facts.pr?.state !== "open" || watch?.state !== "watching")
    throw new DomainError("run_not_followable", { members: { run_id: named.id, current_state: named.state } });
  const active = watch.activeRunId === null ? null : await runs.find(watch.activeRunId);
  if (active !== null)
    throw new DomainError("run_already_active", {
      detail: `Run ${active.id} already repairs this pull request. Wait for it, or cancel it.`,
      members: { run_id: active.id, current_state: active.state },
    });
  return { parent, watch };
}

/** The finding of the last poll, if it is about the current head. */
function findingFor({ seen }: PrWatch, parent: RunRecord, requested: FollowUpCause | undefined): Finding {
  const cause = requested ?? observedCause(seen);
  const headSha = seen.headSha ?? parent.facts.headSha ?? "";
  const { finding, checks } = seen;
  if (finding?.cause === cause && finding.headSha === headSha) return finding;
  return { cause, headSha, name: checks.failed[0] ?? null, ...storedFinding(seen, cause) };
}

function observedCause({ mergeable, checks, review }: PrSeen): FollowUpCause {
  if (mergeable === false) return "conflict";
  return checks.state !== "failed" && review === "changes_requested" ? "review" : "checks";
}
