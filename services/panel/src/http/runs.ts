import type * as contract from "@triptych/contracts";
import type { RequestHandler, ValidatingHandler, RequestContext } from "@triptych/server";
import { cancelRun } from "../domain/cancel-run.ts";
import { selectCandidate } from "../domain/candidates/candidates.ts";
import { createRun, refuseByPlan, type CreateRunInput } from "../domain/create-run.ts";
import type { Repositories, RunFilter } from "../domain/repositories.ts";
import type { Panel } from "../domain/panel.ts";
import { readQueueSnapshot, positionIn, positionOfNew, queueOf, type QueueSnapshot } from "../queue/view.ts";
import type { RunRecord } from "../domain/records.ts";
import { orNotFound, DomainError } from "../domain/domain-error.ts";
import { isRetryable } from "../domain/run-states.ts";
import { mayRead, mayWrite, type Caller } from "./caller.ts";
import { inTransaction, mapDomainErrors, type Answered } from "./transactional.ts";
import { pageOf, readPage, type PageQuery } from "./cursors.ts";
import { runShape } from "./response-mappers.ts";

type StartRequest = {
  readonly caller: Caller;
  readonly repoId: string;
  readonly input: CreateRunInput;
  readonly snapshot: QueueSnapshot;
};

async function start(
  panel: Panel,
  repositories: Repositories,
  { caller, repoId, input, snapshot }: StartRequest,
): Promise<Answered> {
  const repo = orNotFound(await repositories.repos.find(repoId), "repo");
  mayWrite(caller);
  const { account } = caller;
  const hasWorkers = (await repositories.workers.countConnected()) > 0;
  const { isolationMin } = panel.allows;
  const making = { account, repo, id: panel.newId("run"), now: panel.now(), hasWorkers, isolationMin };
  const run = await createRun(repositories, input, making);
  return {
    status: 202,
    body: runShape(run, positionOfNew(run, repo, snapshot)),
    headers: { Location: `/api/runs/${run.id}` },
  };
}

/** Outside the transaction, which blocks the only writer. */
function readSnapshot(panel: Panel, { account: { id: owner } }: Caller): Promise<QueueSnapshot> {
  return readQueueSnapshot(panel, { owner, repositories: panel.store.of(owner) });
}

const MANUAL = { type: "manual", retryOf: null } as const;

export function startRunHandler(panel: Panel): RequestHandler<typeof contract.startRun, Caller> {
  return async (context) => {
    const { focus, verify_cmd, gate, base_branch, team, priority, parallel } = context.body;
    const options = {
      focus,
      verifyCmd: verify_cmd,
      gate,
      baseBranch: base_branch,
      team,
      priority,
      isParallel: parallel,
    };
    const input: CreateRunInput = { kind: "maintain", ...options, trigger: MANUAL };
    const { caller, params } = context;
    const snapshot = await readSnapshot(panel, caller);
    return inTransaction(panel, context, (repositories) =>
      start(panel, repositories, { caller, repoId: params.id, input, snapshot }),
    );
  };
}

export function startExploreHandler(panel: Panel): RequestHandler<typeof contract.startExplore, Caller> {
  return async (context) => {
    const { caller, params, body } = context;
    const input: CreateRunInput = { kind: "explore", explore: body, trigger: MANUAL };
    const snapshot = await readSnapshot(panel, caller);
    return inTransaction(panel, context, (repositories) =>
      start(panel, repositories, { caller, repoId: params.id, input, snapshot }),
    );
  };
}

export function retryRunHandler(panel: Panel): RequestHandler<typeof contract.retryRun, Caller> {
  return async (context) => {
    const snapshot = await readSnapshot(panel, context.caller);
    return inTransaction(panel, context, async (repositories) => {
      const { caller, params, body } = context;
      const run = orNotFound(await repositories.runs.find(params.id), "run");
      mayWrite(caller);
      await refuseByPlan(repositories, run.kind, { account: caller.account, now: panel.now() });
      if (!isRetryable(run.state))
        throw new DomainError("run_not_retryable", { members: { run_id: run.id, current_state: run.state } });
      const { candidateId } = run.spec.trigger;
      if (candidateId !== null)
        return reselect(panel, repositories, { caller, run, candidateId, focus: body.focus, snapshot });
      const { gate, verifyCmd, baseBranch, settings } = run.spec;
      const inherited = { gate, verifyCmd, baseBranch: baseBranch ?? undefined, team: settings.team };
      const input: CreateRunInput = {
        kind: run.kind,
        ...inherited,
        explore: settings.explore,
        priority: run.priority,
        focus: body.focus ?? run.focus,
        isParallel: run.isParallel,
        trigger: { type: "retry", retryOf: run.id },
      };
      return start(panel, repositories, { caller, repoId: run.repoId, input, snapshot });
    });
  };
}

type RetryRequest = {
  readonly caller: Caller;
  readonly run: RunRecord;
  readonly candidateId: string;
  readonly focus: string | undefined;
  readonly snapshot: QueueSnapshot;
};

/** Retrying a candidate's run selects the candidate again, with its current focus and gate, if still proposed. */
async function reselect(
  panel: Panel,
  repositories: Repositories,
  { caller, run, candidateId, focus, snapshot }: RetryRequest,
): Promise<Answered> {
  const candidate = orNotFound(await repositories.candidates.find(candidateId), "run");
  const repo = orNotFound(await repositories.repos.find(run.repoId), "repo");
  const { account } = caller;
  const hasWorkers = (await repositories.workers.countConnected()) > 0;
  const { isolationMin } = panel.allows;
  const making = { account, repo, id: panel.newId("run"), now: panel.now(), hasWorkers, isolationMin };
  const inherited = { team: run.spec.settings.team, priority: run.priority, focus };
  const trigger = { type: "retry", retryOf: run.id } as const;
  const again = await selectCandidate(repositories, candidate, { ...inherited, trigger }, making);
  return {
    status: 202,
    body: runShape(again, positionOfNew(again, repo, snapshot)),
    headers: { Location: `/api/runs/${again.id}` },
  };
}

export function cancelRunHandler(panel: Panel): RequestHandler<typeof contract.cancelRun, Caller> {
  return (context) =>
    inTransaction(panel, context, async (repositories) => {
      const { caller, params } = context;
      const run = orNotFound(await repositories.runs.find(params.id), "run");
      mayWrite(caller);
      const { answer, run: after } = await cancelRun(repositories, run, { at: panel.now() });
      if (answer === "refused")
        throw new DomainError("run_not_cancellable", { members: { run_id: run.id, current_state: run.state } });
      return { status: answer === "already" ? 200 : 202, body: runShape(after) };
    });
}

export function getRunHandler(panel: Panel): RequestHandler<typeof contract.getRun, Caller> {
  return ({ caller, params }) =>
    mapDomainErrors(panel, async () => {
      const [owner, repositories] = [caller.account.id, panel.store.of(caller.account.id)];
      const run = orNotFound(await repositories.runs.find(params.id), "run");
      mayRead(caller);
      const snapshot = await queueOf(panel, { owner, repositories }, [run]);
      return runShape(run, positionIn(snapshot, run));
    });
}

type Query = RequestContext<typeof contract.listRuns, Caller>["query"];
type Listing = { readonly caller: Caller; readonly repoId: string | undefined; readonly query: Query & PageQuery };

async function list(panel: Panel, { caller, repoId, query }: Listing, page: ReturnType<typeof readPage>) {
  const repositories = panel.store.of(caller.account.id);
  if (repoId !== undefined) orNotFound(await repositories.repos.find(repoId), "repo");
  mayRead(caller);
  const { state, phase, kind, since, candidate_id: candidateId } = query;
  if (candidateId !== undefined) orNotFound(await repositories.candidates.find(candidateId), "candidate");
  const from = since === undefined ? undefined : Date.parse(since);
  const filter: RunFilter = { repoId, state, phase, kind, since: from, candidateId };
  const runs = await repositories.runs.list(filter, page);
  const snapshot = await queueOf(panel, { owner: caller.account.id, repositories }, runs);
  const { records, next_cursor } = pageOf(runs, page);
  return { items: records.map((run) => runShape(run, positionIn(snapshot, run))), next_cursor };
}

export function listRunsHandler(panel: Panel): ValidatingHandler<typeof contract.listRuns, Caller> {
  return {
    handle({ caller, query }, errors) {
      const page = readPage(query, errors);
      errors.refuse();
      return mapDomainErrors(panel, () => list(panel, { caller, repoId: query.repo_id, query }, page));
    },
  };
}

export function listRunsOfRepoHandler(panel: Panel): ValidatingHandler<typeof contract.listRunsOfRepo, Caller> {
  return {
    handle({ caller, params, query }, errors) {
      const page = readPage(query, errors);
      errors.refuse();
      return mapDomainErrors(panel, () => list(panel, { caller, repoId: params.id, query }, page));
    },
  };
}
