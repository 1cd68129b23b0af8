import type * as contract from "@triptych/contracts";
import { PAGE_SIZE } from "@triptych/contracts";
import type { RequestHandler, ValidatingHandler, ValidationErrors } from "@triptych/server";
import { rejectCandidate, selectCandidate } from "../domain/candidates/candidates.ts";
import type { ScorePage } from "../domain/candidates/repository.ts";
import type { Panel } from "../domain/panel.ts";
import { readQueueSnapshot, positionOfNew } from "../queue/view.ts";
import { orNotFound } from "../domain/domain-error.ts";
import { mayRead, mayWrite, type Caller } from "./caller.ts";
import { inTransaction, mapDomainErrors } from "./transactional.ts";
import { ID, type PageQuery } from "./cursors.ts";
import { candidateShape, exploreStatsShape, runShape } from "./response-mappers.ts";

export function listCandidatesHandler(panel: Panel): ValidatingHandler<typeof contract.listCandidates, Caller> {
  return {
    handle({ caller, params, query }, errors) {
      const page = readScorePage(query, errors);
      errors.refuse();
      return mapDomainErrors(panel, async () => {
        const { repos, candidates } = panel.store.of(caller.account.id);
        orNotFound(await repos.find(params.id), "repo");
        mayRead(caller);
        const { state = "proposed", category } = query;
        const filter = { state: state === "all" ? null : state, category };
        const rows = await candidates.list(params.id, filter, page);
        const visible = rows.slice(0, page.limit - 1);
        const last = rows.length === page.limit ? visible.at(-1) : undefined;
        const next_cursor = last === undefined ? null : cursorOf(last.proposal.score, last.id);
        return { items: visible.map(candidateShape), next_cursor };
      });
    },
  };
}

function cursorOf(score: number, id: string): string {
  return Buffer.from(`${score} ${id}`).toString("base64url");
}

/** Fetches one more row than shown, to detect another page. */
function readScorePage({ limit = PAGE_SIZE, cursor }: PageQuery, errors: ValidationErrors): ScorePage {
  if (cursor === undefined) return { below: null, limit: limit + 1 };
  const [text = "", id = "", more] = Buffer.from(cursor, "base64url").toString().split(" ");
  const score = text === "" ? Number.NaN : Number(text);
  if (!(score >= 0 && score <= 1) || !ID.test(id) || more !== undefined)
    errors.add({ path: "?cursor", reason: "wrong_form", message: "`cursor` must be a `next_cursor` of this list." });
  return { below: { score, id }, limit: limit + 1 };
}

export function getExploreStatsHandler(panel: Panel): RequestHandler<typeof contract.getExploreStats, Caller> {
  return ({ caller, params }) =>
    mapDomainErrors(panel, async () => {
      const { repos, candidates } = panel.store.of(caller.account.id);
      orNotFound(await repos.find(params.id), "repo");
      mayRead(caller);
      return exploreStatsShape(await candidates.counts(params.id));
    });
}

export function runCandidateHandler(panel: Panel): RequestHandler<typeof contract.runCandidate, Caller> {
  return async (context) => {
    const { caller, params, body } = context;
    const owner = caller.account.id;
    // Outside the transaction, which blocks the only writer.
    const snapshot = await readQueueSnapshot(panel, { owner, repositories: panel.store.of(owner) });
    return inTransaction(panel, context, async (repositories) => {
      const candidate = orNotFound(await repositories.candidates.find(params.id), "candidate");
      const repo = orNotFound(await repositories.repos.find(candidate.repoId), "candidate");
      mayWrite(caller);
      const { account } = caller;
      const hasWorkers = (await repositories.workers.countConnected()) > 0;
      const { isolationMin } = panel.allows;
      const making = { account, repo, id: panel.newId("run"), now: panel.now(), hasWorkers, isolationMin };
      const { team, priority, persist } = body;
      const trigger = { type: "candidate", retryOf: null } as const;
      const run = await selectCandidate(repositories, candidate, { team, priority, trigger }, making);
      const settings = { ...repo.settings, focus: candidate.proposal.focus };
      if (persist === true) await repositories.repos.save({ ...repo, settings, updatedAt: panel.now() });
      const shape = runShape(run, positionOfNew(run, repo, snapshot));
      return { status: 202, body: shape, headers: { Location: `/api/runs/${run.id}` } };
    });
  };
}

export function rejectCandidateHandler(panel: Panel): ValidatingHandler<typeof contract.rejectCandidate, Caller> {
  return {
    handle(context, errors) {
      // Not validated before `errors.refuse()`: the body may be anything.
      const sent: unknown = context.body?.until;
      const now = panel.now();
      const until = typeof sent === "string" ? Date.parse(sent) : null;
      if (until !== null && !(until > now))
        errors.add({ path: "/until", reason: "out_of_range", message: "`until` must be in the future." });
      errors.refuse();
      const { reason = null, scope } = context.body;
      return inTransaction(panel, context, async (repositories) => {
        const { caller, params } = context;
        const candidate = orNotFound(await repositories.candidates.find(params.id), "candidate");
        orNotFound(await repositories.repos.find(candidate.repoId), "candidate");
        mayWrite(caller);
        const rejected = await rejectCandidate(repositories, candidate, { reason, scope, until, now });
        return { status: 200, body: candidateShape(rejected) };
      });
    },
  };
}
