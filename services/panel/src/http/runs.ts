/** Runs: made, read, cancelled, tried again. */
import type * as contract from "@triptych/contracts";
import type { Answering, CarefulHandler, Exchange } from "@triptych/server";
import { cancelRun } from "../domain/cancel-run.ts";
import { selectCandidate } from "../domain/candidates.ts";
import { makeRun, refuseByPlan, type RunWish } from "../domain/create-run.ts";
import type { Books, RunFilter } from "../domain/repositories.ts";
import type { Panel } from "../domain/panel.ts";
import { lookAtQueue, placeIn, placeOfNew, queueOf, type QueueSight } from "../domain/queue-view.ts";
import type { RunRecord } from "../domain/records.ts";
import { found, Refusal } from "../domain/domain-error.ts";
import { isRetryable } from "../domain/run-states.ts";
import { mayRead, mayWrite, type Caller } from "./caller.ts";
import { changing, refusing, type Answered } from "./transactional.ts";
import { readPage, type PageQuery } from "./cursors.ts";
import { runJson, runsJson, sendJson } from "./run-serializer.ts";
import { runShape } from "./response-mappers.ts";

type Starting = {
  readonly caller: Caller;
  readonly repoId: string;
  readonly wish: RunWish;
  /** Just before. */
  readonly sight: QueueSight;
};

async function start(panel: Panel, books: Books, { caller, repoId, wish, sight }: Starting): Promise<Answered> {
  const repo = found(await books.repos.find(repoId), "repo");
  mayWrite(caller);
  const { account } = caller;
  const hasWorkers = (await books.workers.countConnected()) > 0;
  const { isolationMin } = panel.allows;
  const making = { account, repo, id: panel.newId("run"), now: panel.now(), hasWorkers, isolationMin };
  const run = await makeRun(books, wish, making);
  return {
    status: 202,
    body: runShape(run, placeOfNew(run, repo, sight)),
    headers: { Location: `/api/runs/${run.id}` },
  };
}

/** Outside the change, which holds the only writer. */
function sightOf(panel: Panel, { account: { id: owner } }: Caller): Promise<QueueSight> {
  return lookAtQueue(panel, { owner, books: panel.store.of(owner) });
}

const MANUAL = { type: "manual", retryOf: null } as const;

export function startRunHandler(panel: Panel): Answering<typeof contract.startRun, Caller> {
  return async (exchange) => {
    const { focus, verify_cmd, gate, base_branch, team, priority, parallel } = exchange.body;
    const order = { focus, verifyCmd: verify_cmd, gate, baseBranch: base_branch, team, priority, isParallel: parallel };
    const wish: RunWish = { kind: "maintain", ...order, trigger: MANUAL };
    const { caller, params } = exchange;
    const sight = await sightOf(panel, caller);
    return changing(panel, exchange, (books) => start(panel, books, { caller, repoId: params.id, wish, sight }));
  };
}

export function startExploreHandler(panel: Panel): Answering<typeof contract.startExplore, Caller> {
  return async (exchange) => {
    const { caller, params, body } = exchange;
    const wish: RunWish = { kind: "explore", explore: body, trigger: MANUAL };
    const sight = await sightOf(panel, caller);
    return changing(panel, exchange, (books) => start(panel, books, { caller, repoId: params.id, wish, sight }));
  };
}

export function retryRunHandler(panel: Panel): Answering<typeof contract.retryRun, Caller> {
  return async (exchange) => {
    const sight = await sightOf(panel, exchange.caller);
    return changing(panel, exchange, async (books) => {
      const { caller, params, body } = exchange;
      const run = found(await books.runs.find(params.id), "run");
      mayWrite(caller);
      await refuseByPlan(books, run.kind, { account: caller.account, now: panel.now() });
      if (!isRetryable(run.state))
        throw new Refusal("run_not_retryable", { members: { run_id: run.id, current_state: run.state } });
      const { candidateId } = run.order.trigger;
      if (candidateId !== null)
        return selectAgain(panel, books, { caller, run, candidateId, focus: body.focus, sight });
      const { gate, verifyCmd, baseBranch, settings } = run.order;
      const kept = { gate, verifyCmd, baseBranch: baseBranch ?? undefined, team: settings.team };
      const wish: RunWish = {
        kind: run.kind,
        ...kept,
        explore: settings.explore,
        priority: run.priority,
        focus: body.focus ?? run.focus,
        isParallel: run.isParallel,
        trigger: { type: "retry", retryOf: run.id },
      };
      return start(panel, books, { caller, repoId: run.repoId, wish, sight });
    });
  };
}

type Again = {
  readonly caller: Caller;
  readonly run: RunRecord;
  readonly candidateId: string;
  readonly focus: string | undefined;
  readonly sight: QueueSight;
};

/** A candidate's run is tried again by selecting the candidate again: with its focus and gate of now, where it is proposed still. */
async function selectAgain(
  panel: Panel,
  books: Books,
  { caller, run, candidateId, focus, sight }: Again,
): Promise<Answered> {
  const candidate = found(await books.candidates.find(candidateId), "run");
  const repo = found(await books.repos.find(run.repoId), "repo");
  const { account } = caller;
  const hasWorkers = (await books.workers.countConnected()) > 0;
  const { isolationMin } = panel.allows;
  const making = { account, repo, id: panel.newId("run"), now: panel.now(), hasWorkers, isolationMin };
  const kept = { team: run.order.settings.team, priority: run.priority, focus };
  const trigger = { type: "retry", retryOf: run.id } as const;
  const again = await selectCandidate(books, candidate, { ...kept, trigger }, making);
  return {
    status: 202,
    body: runShape(again, placeOfNew(again, repo, sight)),
    headers: { Location: `/api/runs/${again.id}` },
  };
}

export function cancelRunHandler(panel: Panel): Answering<typeof contract.cancelRun, Caller> {
  return (exchange) =>
    changing(panel, exchange, async (books) => {
      const { caller, params } = exchange;
      const run = found(await books.runs.find(params.id), "run");
      mayWrite(caller);
      const { answer, run: after } = await cancelRun(books, run, { at: panel.now() });
      if (answer === "refused")
        throw new Refusal("run_not_cancellable", { members: { run_id: run.id, current_state: run.state } });
      return { status: answer === "already" ? 200 : 202, body: runShape(after) };
    });
}

export function getRunHandler(panel: Panel): Answering<typeof contract.getRun, Caller> {
  return ({ caller, params, reply }) =>
    refusing(panel, async () => {
      const [owner, books] = [caller.account.id, panel.store.of(caller.account.id)];
      const run = found(await books.runs.find(params.id), "run");
      mayRead(caller);
      const sight = await queueOf(panel, { owner, books }, [run]);
      return sendJson(reply, runJson(run, placeIn(sight, run)));
    });
}

type Query = Exchange<typeof contract.listRuns, Caller>["query"];
type Listing = { readonly caller: Caller; readonly repoId: string | undefined; readonly query: Query & PageQuery };

/** As JSON. */
async function list(panel: Panel, { caller, repoId, query }: Listing, page: ReturnType<typeof readPage>) {
  const books = panel.store.of(caller.account.id);
  if (repoId !== undefined) found(await books.repos.find(repoId), "repo");
  mayRead(caller);
  const { state, phase, kind, since, candidate_id: candidateId } = query;
  if (candidateId !== undefined) found(await books.candidates.find(candidateId), "candidate");
  const from = since === undefined ? undefined : Date.parse(since);
  const filter: RunFilter = { repoId, state, phase, kind, since: from, candidateId };
  const runs = await books.runs.list(filter, page);
  const sight = await queueOf(panel, { owner: caller.account.id, books }, runs);
  return runsJson(runs, sight, page);
}

export function listRunsHandler(panel: Panel): CarefulHandler<typeof contract.listRuns, Caller> {
  return {
    careful({ caller, query, reply }, faults) {
      const page = readPage(query, faults);
      faults.refuse();
      return refusing(panel, async () =>
        sendJson(reply, await list(panel, { caller, repoId: query.repo_id, query }, page)),
      );
    },
  };
}

export function listRunsOfRepoHandler(panel: Panel): CarefulHandler<typeof contract.listRunsOfRepo, Caller> {
  return {
    careful({ caller, params, query, reply }, faults) {
      const page = readPage(query, faults);
      faults.refuse();
      return refusing(panel, async () =>
        sendJson(reply, await list(panel, { caller, repoId: params.id, query }, page)),
      );
    },
  };
}
