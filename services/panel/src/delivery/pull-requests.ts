/** Automatic and requested pull requests: one at a time for each run; concurrent callers wait for its result. */
import { claimEffect, type EffectRecord, type EffectRefusal } from "../domain/effects.ts";
import type { OpenedPr, Prs, OpenPrInput } from "../domain/delivery.ts";
import { requestPullOf } from "../domain/pr-text.ts";
import type { RunRecord } from "../domain/records.ts";
import { orNotFound, DomainError } from "../domain/domain-error.ts";
import type { OpenRepo } from "./open-repo.ts";
import type { OpenForge } from "../forges/open-forge.ts";
import { FORGE_AGAIN_MS, ForgeError } from "../forges/forge.ts";
import { branchOf } from "../domain/run-branch.ts";
import { wait } from "../timers.ts";
import { keepingLease, type RunEffect, type EffectsOptions } from "../outbox/effects.ts";
import { readLogTails } from "./check-logs.ts";
import { openPr } from "./open-pr.ts";
import type { PushTools } from "./push.ts";
import { settlePr, settleWatch } from "../outbox/results.ts";

export type PrOptions = Pick<EffectsOptions, "store" | "by" | "now" | "timers" | "onError"> & {
  readonly push: PushTools;
  readonly openRepo: OpenRepo;
  readonly openForge: OpenForge;
  readonly publicUrl: string | undefined;
  readonly onSettled: (kind: "pr", refusal: EffectRefusal | null) => void;
};

/** How long a caller waits for an attempt in progress, and how often it polls if another node makes that attempt. */
const WAIT_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 200;
const RETRY_AFTER_MS = 2_000;

export function createPrs(options: PrOptions): { readonly prs: Prs; readonly carryOut: RunEffect } {
  const { store, by, now, timers } = options;
  const underWay = new Map<string, Promise<OpenedPr>>();
  const shared = (owner: string, runId: string, work: () => Promise<OpenedPr>) => {
    const name = `${owner} ${runId}`;
    const mine = work().finally(() => underWay.delete(name));
    underWay.set(name, mine);
    return mine;
  };

  return {
    prs: {
      async open(owner, runId, input) {
        const first = await readyRun(options, owner, runId);
        if (first.state === "pr_open") return { run: first, isNew: false };
        const timeout = new AbortController();
        const enough = wait(timers, WAIT_TIMEOUT_MS, timeout.signal).then(() => tooLong(first, now()));
        try {
          return await Promise.race([opened(owner, runId, input, timeout.signal), enough]);
        } finally {
          timeout.abort();
        }
      },
    },
    async carryOut(owner, effect) {
      if (effect.state === "watching") return watch(options, owner, effect);
      const run = await store.of(owner).runs.find(effect.runId);
      if (run === null) throw new Error(`the pull request of ${effect.runId} has no run`);
      const input: OpenPrInput = { reopen: false, draft: undefined };
      await shared(owner, effect.runId, () => carry(options, owner, effect, { input, isManual: false })).catch(
        (error: unknown) => {
          if (!(error instanceof DomainError)) throw error;
        },
      );
    },
  };

  /** Retries until an attempt has a result or the caller's timeout ends. */
  async function opened(owner: string, runId: string, input: OpenPrInput, signal: AbortSignal): Promise<OpenedPr> {
    const began = now();
    while (!signal.aborted) {
      const other = underWay.get(`${owner} ${runId}`);
      if (other !== undefined) return { ...(await other), isNew: false };
      const claimed = await store.change(owner, (repositories) =>
        claimEffect(repositories, { runId, kind: "pr", by, now: now(), isManual: true }),
      );
      if (claimed !== null)
        return shared(owner, runId, () => carry(options, owner, claimed, { input, isManual: true }));
      if (underWay.has(`${owner} ${runId}`)) continue;
      // Another node, or another run with the same change, holds the effect.
      await wait(timers, POLL_INTERVAL_MS, signal);
      const run = await readyRun(options, owner, runId);
      if (run.state === "pr_open") return { run, isNew: false };
      const outcome = (await store.of(owner).effects.find(runId, "pr"))?.outcome ?? null;
      if (outcome !== null && outcome.at > began && outcome.refusal !== null)
        throw asRefusal(outcome.refusal, run, now());
    }
    throw new DomainError("effect_in_progress");
  }
}

async function carry(
  options: PrOptions,
  owner: string,
  effect: EffectRecord,
  { input, isManual }: { readonly input: OpenPrInput; readonly isManual: boolean },
): Promise<OpenedPr> {
  const { store, now } = options;
  return keepingLease(options, owner, effect, async () => {
    const { run, repo, forge } = await partsOf(options, owner, effect);
    if (run.state !== "pushed" || repo === null || forge === null) {
      await store.change(owner, (repositories) =>
        settlePr(repositories, { effect, refusal: null, pr: null, at: now(), isManual }),
      );
      return { run, isNew: false };
    }
    const answer = await openPr({
      push: options.push,
      forge,
      repo,
      run,
      input,
      now,
      publicUrl: options.publicUrl,
      twinUrl: () => twinUrl(options, owner, effect),
      readLogs: () => readLogTails({ uploads: store.of(owner).uploads, blobs: options.push.blobs }, run),
    });
    const [pr, refusal] = answer.kind === "open" ? [answer.pr, null] : [null, answer.refusal];
    await store.change(owner, (repositories) => settlePr(repositories, { effect, refusal, pr, at: now(), isManual }));
    options.onSettled("pr", refusal);
    if (refusal !== null) throw asRefusal(refusal, run, now());
    const after = orNotFound(await store.of(owner).runs.find(run.id), "run");
    return { run: after, isNew: answer.kind === "open" && answer.isNew };
  });
}

/** Refuses by run state or kind of repository before any request. */
async function readyRun({ store }: PrOptions, owner: string, runId: string): Promise<RunRecord> {
  const run = orNotFound(await store.of(owner).runs.find(runId), "run");
  if (run.state === "pr_open") return run;
  if (run.state !== "pushed")
    throw new DomainError("run_not_pushed", { members: { run_id: run.id, current_state: run.state } });
  const repo = orNotFound(await store.of(owner).repos.find(run.repoId), "repo");
  if (repo.provider !== "git") return run;
  const branch = branchOf(run.id);
  const request_pull = requestPullOf(run, { url: repo.url, branch });
  throw new DomainError("pr_unsupported", {
    members: { run_id: run.id, branch, head_sha: run.facts.headSha, request_pull },
  });
}

/** Reads the state of an open pull request from its forge. */
async function watch(options: PrOptions, owner: string, effect: EffectRecord): Promise<void> {
  const { store, now } = options;
  const { run, forge } = await partsOf(options, owner, effect);
  const recorded = run.facts.pr;
  // With follow-ups, their poller reads the pull request: two readers could exceed the request limit.
  const stored = await store.of(owner).repos.find(effect.repoId);
  const isPolled = stored?.settings.follow_up.enabled === true && stored.status === "active";
  const isFollowed = isPolled && (await store.of(owner).followUps.find(run.id))?.state === "watching";
  const seen =
    recorded === null || forge === null || isFollowed
      ? null
      : await forge.getPr(recorded.number).catch((error: unknown) => {
          if (error instanceof ForgeError) return null;
          throw error;
        });
  const pr = seen === null || recorded === null ? null : { ...seen, adopted: recorded.adopted };
  await store.change(owner, (repositories) => settleWatch(repositories, { effect, pr, at: now() }));
}

async function partsOf(options: PrOptions, owner: string, effect: EffectRecord) {
  const run = await options.store.of(owner).runs.find(effect.runId);
  if (run === null) throw new Error(`the pull request of ${effect.runId} has no run`);
  const opened = await options.openRepo(owner, effect.repoId);
  const repo = opened === null || opened.isRemoved ? null : opened;
  return { run, repo, forge: repo === null ? null : options.openForge(repo) };
}

/** The open pull request of another run with the same change. */
async function twinUrl(
  { store }: PrOptions,
  owner: string,
  { runId, repoId, patchId }: EffectRecord,
): Promise<string | null> {
  if (patchId === null) return null;
  const { effects, runs } = store.of(owner);
  const twins = await effects.withPatch(repoId, patchId);
  for (const twin of twins.filter((effect) => effect.runId !== runId && effect.state === "watching")) {
    const pr = (await runs.find(twin.runId))?.facts.pr;
    if (pr?.state === "open") return pr.url;
  }
  return null;
}

function tooLong(run: RunRecord, now: number): never {
  throw new DomainError("effect_in_progress", { retryAt: now + RETRY_AFTER_MS, members: { run_id: run.id } });
}

function asRefusal({ code, detail, members, retryAt }: EffectRefusal, run: RunRecord, now: number): DomainError {
  const about = { run_id: run.id, ...members };
  if (code !== "forge_error") return new DomainError(code, { detail, members: about });
  // Git reports no HTTP status.
  return new DomainError(code, {
    detail,
    members: { forge_status: null, ...about },
    retryAt: retryAt ?? now + FORGE_AGAIN_MS,
  });
}
