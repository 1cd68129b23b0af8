/** Pull requests, by themselves and when asked for: one at a time for each run, and who comes meanwhile waits for what comes of it. */
import { claimEffect, type EffectRecord, type EffectRefusal } from "../domain/effects.ts";
import type { OpenedPr, Prs, PrWish } from "../domain/delivery-steps.ts";
import { requestPullOf } from "../domain/pr-text.ts";
import type { RunRecord } from "../domain/records.ts";
import { found, Refusal } from "../domain/domain-error.ts";
import type { OpenRepo } from "../delivery/open-repo.ts";
import type { OpenForge } from "../forges/open-forge.ts";
import { FORGE_AGAIN_MS, ForgeFault } from "../forges/forge.ts";
import { branchOf } from "../git/bundle-header.ts";
import { wait } from "../timers.ts";
import { keepingLease, type CarryOut, type EffectsOptions } from "./effects.ts";
import { openPr } from "./open-pr.ts";
import type { PushTools } from "./push-run.ts";
import { settlePr, settleWatch } from "./outbox-results.ts";

export type PrOptions = Pick<EffectsOptions, "store" | "by" | "now" | "timers" | "onTrouble"> & {
  readonly push: PushTools;
  readonly openRepo: OpenRepo;
  readonly openForge: OpenForge;
  readonly publicUrl: string | undefined;
  readonly onSettled: (kind: "pr", refusal: EffectRefusal | null) => void;
};

/** How long a caller waits for what another one has begun, and how often it looks where that one is on another node. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 200;
const RETRY_AFTER_MS = 2_000;

export function createPrs(options: PrOptions): { readonly prs: Prs; readonly carryOut: CarryOut } {
  const { store, by, now, timers } = options;
  const underWay = new Map<string, Promise<OpenedPr>>();

  return {
    prs: {
      async open(owner, runId, wish) {
        const first = await readyRun(owner, runId);
        if (first.state === "pr_open") return { run: first, isNew: false };
        const patience = new AbortController();
        const enough = wait(timers, PATIENCE_MS, patience.signal).then(() => tooLong(first));
        try {
          return await Promise.race([opened(owner, runId, wish, patience.signal), enough]);
        } finally {
          patience.abort();
        }
      },
    },
    async carryOut(owner, effect) {
      if (effect.state === "watching") return watch(owner, effect);
      const run = await store.of(owner).runs.find(effect.runId);
      if (run === null) throw new Error(`the pull request of ${effect.runId} has no run`);
      const wish: PrWish = { reopen: false, draft: undefined };
      await shared(owner, effect.runId, () => carry(owner, effect, { wish, isAsked: false })).catch(
        (error: unknown) => {
          if (!(error instanceof Refusal)) throw error;
        },
      );
    },
  };

  /** Tries until one of us has an answer; ends with the caller's patience. */
  async function opened(owner: string, runId: string, wish: PrWish, signal: AbortSignal): Promise<OpenedPr> {
    const began = now();
    while (!signal.aborted) {
      const other = underWay.get(`${owner} ${runId}`);
      if (other !== undefined) return { ...(await other), isNew: false };
      const claimed = await store.change(owner, (books) =>
        claimEffect(books, { runId, kind: "pr", by, now: now(), isAsked: true }),
      );
      if (claimed !== null) return shared(owner, runId, () => carry(owner, claimed, { wish, isAsked: true }));
      if (underWay.has(`${owner} ${runId}`)) continue;
      // Another node, or another run with the same change, has it in hand.
      await wait(timers, LOOK_MS, signal);
      const run = await readyRun(owner, runId);
      if (run.state === "pr_open") return { run, isNew: false };
      const outcome = (await store.of(owner).effects.find(runId, "pr"))?.outcome ?? null;
      if (outcome !== null && outcome.at > began && outcome.refusal !== null)
        throw asRefusal(outcome.refusal, run, now());
    }
    throw new Refusal("effect_in_progress");
  }

  async function shared(owner: string, runId: string, work: () => Promise<OpenedPr>): Promise<OpenedPr> {
    const name = `${owner} ${runId}`;
    const mine = work().finally(() => underWay.delete(name));
    underWay.set(name, mine);
    return mine;
  }

  /** Refused by the state of the run or the kind of its repository, before anybody is asked. */
  async function readyRun(owner: string, runId: string): Promise<RunRecord> {
    const run = found(await store.of(owner).runs.find(runId), "run");
    if (run.state === "pr_open") return run;
    if (run.state !== "pushed")
      throw new Refusal("run_not_pushed", { members: { run_id: run.id, current_state: run.state } });
    const repo = found(await store.of(owner).repos.find(run.repoId), "repo");
    if (repo.provider !== "git") return run;
    const branch = branchOf(run.id);
    const request_pull = requestPullOf(run, { url: repo.url, branch });
    throw new Refusal("pr_unsupported", {
      members: { run_id: run.id, branch, head_sha: run.facts.headSha, request_pull },
    });
  }

  async function carry(
    owner: string,
    effect: EffectRecord,
    { wish, isAsked }: { readonly wish: PrWish; readonly isAsked: boolean },
  ): Promise<OpenedPr> {
    return keepingLease(options, owner, effect, async () => {
      const { run, repo, forge } = await partsOf(owner, effect);
      if (run.state !== "pushed" || repo === null || forge === null) {
        await store.change(owner, (books) => settlePr(books, { effect, refusal: null, pr: null, at: now(), isAsked }));
        return { run, isNew: false };
      }
      const answer = await openPr({
        push: options.push,
        forge,
        repo,
        run,
        wish,
        now,
        publicUrl: options.publicUrl,
        twinUrl: () => twinUrl(owner, effect),
      });
      const [pr, refusal] = answer.kind === "open" ? [answer.pr, null] : [null, answer.refusal];
      await store.change(owner, (books) => settlePr(books, { effect, refusal, pr, at: now(), isAsked }));
      options.onSettled("pr", refusal);
      if (refusal !== null) throw asRefusal(refusal, run, now());
      const after = found(await store.of(owner).runs.find(run.id), "run");
      return { run: after, isNew: answer.kind === "open" && answer.isNew };
    });
  }

  async function watch(owner: string, effect: EffectRecord): Promise<void> {
    const { run, forge } = await partsOf(owner, effect);
    const known = run.facts.pr;
    const seen =
      known === null || forge === null
        ? null
        : await forge.getPr(known.number).catch((error: unknown) => {
            if (error instanceof ForgeFault) return null;
            throw error;
          });
    const pr = seen === null || known === null ? null : { ...seen, adopted: known.adopted };
    await store.change(owner, (books) => settleWatch(books, { effect, pr, at: now() }));
  }

  async function partsOf(owner: string, effect: EffectRecord) {
    const run = await store.of(owner).runs.find(effect.runId);
    if (run === null) throw new Error(`the pull request of ${effect.runId} has no run`);
    const known = await options.openRepo(owner, effect.repoId);
    const repo = known === null || known.isRemoved ? null : known;
    return { run, repo, forge: repo === null ? null : options.openForge(repo) };
  }

  async function twinUrl(owner: string, { runId, repoId, patchId }: EffectRecord): Promise<string | null> {
    if (patchId === null) return null;
    const { effects, runs } = store.of(owner);
    const twins = await effects.withPatch(repoId, patchId);
    for (const twin of twins.filter((one) => one.runId !== runId && one.state === "watching")) {
      const pr = (await runs.find(twin.runId))?.facts.pr;
      if (pr?.state === "open") return pr.url;
    }
    return null;
  }

  function tooLong(run: RunRecord): never {
    throw new Refusal("effect_in_progress", { retryAt: now() + RETRY_AFTER_MS, members: { run_id: run.id } });
  }
}

function asRefusal({ code, detail, members, retryAt }: EffectRefusal, run: RunRecord, now: number): Refusal {
  const about = { run_id: run.id, ...members };
  if (code !== "forge_error") return new Refusal(code, { detail, members: about });
  // Its git has no status.
  return new Refusal(code, {
    detail,
    members: { forge_status: null, ...about },
    retryAt: retryAt ?? now + FORGE_AGAIN_MS,
  });
}
