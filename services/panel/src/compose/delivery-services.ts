import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Encryption } from "@triptych/encryption";
import { checkRepoWith, type CheckRepo } from "../repo-reachability/check-repo.ts";
import type { Redact } from "../bus/open-bus.ts";
import type { Blobs } from "../domain/delivery-repositories.ts";
import type { DeliveryServices } from "../domain/delivery.ts";
import type { RunRecord } from "../domain/records.ts";
import type { PanelStore, Repositories } from "../domain/repositories.ts";
import type { StatementKeys } from "../domain/statement-keys.ts";
import type { IsolationLevel } from "@triptych/contracts";
import { isActive } from "../domain/run-states.ts";
import { DomainError } from "../domain/domain-error.ts";
import { createCheckTokens, createRunTokens, type TokenKeys } from "../domain/worker-tokens.ts";
import { createDelivery, type FindSecrets, keepDiffIn } from "../delivery/check-policy.ts";
import { openRepoWith, type OpenRepo } from "../delivery/open-repo.ts";
import { createUploads } from "../delivery/receive.ts";
import { openEffects, type Effects, type RunEffect } from "../outbox/effects.ts";
import { pushRun, type PushTools } from "../delivery/push.ts";
import { reportCheckWith } from "../delivery/report-checks.ts";
import { signRun } from "../delivery/sign-statement.ts";
import { NO_METER, type DeliveryMeter } from "../delivery/metrics.ts";
import { createPrs } from "../delivery/pull-requests.ts";
import { settlePush } from "../outbox/results.ts";
import { FORGE_AGAIN_MS } from "../forges/forge.ts";
import { createAppTokens } from "../forges/app-tokens.ts";
import { openAppCallWith } from "../forges/forge-access.ts";
import { openCheckRunsWith, openForgeWith, openPrReaderWith, type OpenForge } from "../forges/open-forge.ts";
import { pollPr } from "../follow-ups/poll-pr.ts";
import type { PollOptions } from "../follow-ups/settle-poll.ts";
import { openPrWatcher, type PrWatcher } from "../follow-ups/watch-prs.ts";
import type { MirrorLimits } from "../git/mirror-limits.ts";
import { createMirrors, type Mirrors } from "../git/mirrors.ts";
import { createRelay } from "../git/git-proxy.ts";
import { sweepDeliveries } from "../delivery/cleanup.ts";
import { systemTimers, type Alarms } from "../timers.ts";
import { type Resolve, Unreachable } from "../git/addresses.ts";
import { createRemotes } from "../git/remote.ts";
import packageFile from "../../package.json" with { type: "json" };

export interface DeliveryServicesOptions {
  readonly store: PanelStore;
  readonly seal: Encryption;
  readonly tokenKeys: { readonly run: TokenKeys; readonly check: TokenKeys };
  /** `$TRIPTYCH_DATA/panel`: mirrors, quarantines and incomplete uploads. */
  readonly folder: string;
  readonly blobs: Blobs;
  readonly resolve: Resolve;
  readonly findSecrets: FindSecrets;
  readonly redact: Redact;
  /** Public URL of the panel, for links in pull requests. */
  readonly publicUrl?: string | undefined;
  /** Identifies this panel in statements. A function, because the port may be chosen when the server listens. */
  readonly panelUrl: () => string;
  readonly statementKeys: Pick<StatementKeys, "signer">;
  readonly mirrorLimits?: MirrorLimits;
  readonly by: string;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  /** Whether detected commands are checked on a worker. Default true. */
  readonly checksRepos?: boolean;
  readonly timers?: Alarms;
  readonly meter?: DeliveryMeter;
  /** Timeout of forge requests in milliseconds. Default 10 s. */
  readonly forgeMs?: number;
  readonly isolationMin?: IsolationLevel;
  /** Interval of polling open pull requests, in seconds. Default: 60 s and 5 min. */
  readonly followUpPollS?: number | undefined;
  readonly onError: (error: unknown) => void;
  /** Logs what was skipped, and why. */
  readonly onNotice: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

export interface RunningDeliveryServices extends DeliveryServices, AsyncDisposable {
  readonly effects: Effects;
  readonly prWatcher: PrWatcher;
  readonly checkRepo: CheckRepo;
  sweep(): Promise<void>;
}

export async function openDeliveryServices(options: DeliveryServicesOptions): Promise<RunningDeliveryServices> {
  const {
    store,
    seal,
    blobs,
    now,
    newId,
    checksRepos = true,
    by,
    timers = systemTimers,
    meter = NO_METER,
    onError,
    forgeMs = FORGE_MS,
  } = options;
  const pathOf = (name: string) => join(options.folder, name);
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const folder = pathOf("quarantine");
  const remotes = createRemotes({
    resolve: options.resolve,
    knownHosts: pathOf("known_hosts"),
    passing: folder,
  });
  const mirrors = createMirrors({
    folder: pathOf("mirrors"),
    remotes,
    now,
    ...(options.mirrorLimits !== undefined && { limits: options.mirrorLimits }),
  });
  const api = { timeoutMs: forgeMs, resolve: options.resolve, onAnswer: meter.forgeAnswered };
  const openRepo = openRepoWith(store, seal, createAppTokens({ open: openAppCallWith(api), now }));
  const push = { blobs, mirrors, remotes, folder };
  const openForge = openForgeWith(api);
  const reportCheck = reportCheckWith({ ...options, openRepo, openCheckRuns: openCheckRunsWith(api) });
  const pulls = createPrs({
    store,
    by,
    now,
    timers,
    onError,
    onSettled: meter.effectTried,
    push,
    openRepo,
    openForge,
    publicUrl: options.publicUrl,
  });
  const effects = await openEffects({
    store,
    by,
    now,
    timers,
    onError,
    carryOut: {
      push: inOrder(carryOutPush({ ...options, meter, openRepo, openForge, push }), reportCheck),
      pr: inOrder(pulls.carryOut, reportCheck),
    },
  });
  const prWatcher = await openPrWatches(options, { openRepo, openPrReader: openPrReaderWith(api), meter });
  return {
    tokens: createRunTokens(options.tokenKeys.run),
    checkTokens: createCheckTokens(options.tokenKeys.check),
    delivery: createDelivery({
      store,
      blobs,
      mirrors,
      openRepo,
      folder,
      now,
      findSecrets: options.findSecrets,
      keepDiff: keepDiffIn({ store, blobs, folder: pathOf("incoming") }),
    }),
    relay: relayOf(mirrors, openRepo, now),
    uploads: createUploads({ store, blobs, folder: pathOf("incoming"), now, redact: options.redact }),
    prs: pulls.prs,
    effects,
    prWatcher,
    checkRepo: checkRepoWith({ store, openRepo, openForge, remotes, mirrors, now, newId, checksRepos }),
    sweep: () => sweepDeliveries({ store, blobs, mirrors, passing: [folder, pathOf("incoming")] }, now()),
    [Symbol.asyncDispose]: () => prWatcher[Symbol.asyncDispose]().then(() => effects[Symbol.asyncDispose]()),
  };
}

type WatchOptions = Pick<PollOptions, "openRepo" | "openPrReader"> & { readonly meter: DeliveryMeter };

function openPrWatches(options: DeliveryServicesOptions, { meter, ...reading }: WatchOptions): Promise<PrWatcher> {
  const { store, by, now, newId, redact, publicUrl, onError, timers = systemTimers } = options;
  const polling: PollOptions = {
    ...reading,
    store,
    by,
    now,
    newId,
    redact,
    publicUrl,
    isolationMin: options.isolationMin ?? "none",
    pollMs: options.followUpPollS === undefined ? null : options.followUpPollS * 1000,
    onFollowUp: meter.followUp,
  };
  store.onMove(({ run, from }) => {
    const { followUp } = run.spec;
    if (followUp === undefined || from === null || !isActive(from) || isActive(run.state)) return;
    meter.followUp(followUp.cause, run.pushedAt === null ? (run.result?.code ?? "internal") : "pushed");
  });
  return openPrWatcher({ store, now, timers, onError, pollPr: (owner, runId) => pollPr(polling, owner, runId) });
}

function inOrder(first: RunEffect, second: RunEffect): RunEffect {
  return async (owner, effect) => {
    await first(owner, effect);
    await second(owner, effect);
  };
}

interface PushContext extends Pick<DeliveryServicesOptions, "store" | "now" | "panelUrl" | "statementKeys"> {
  readonly meter: DeliveryMeter;
  readonly openRepo: OpenRepo;
  readonly openForge: OpenForge;
  readonly push: PushTools;
}

function carryOutPush(context: PushContext): RunEffect {
  const { store, now, meter, openRepo, openForge, push, panelUrl, statementKeys } = context;
  return async (owner, effect) => {
    const run = await store.of(owner).runs.find(effect.runId);
    const repo = await openRepo(owner, effect.repoId);
    if (run === null || repo === null) throw new Error(`the push of ${effect.runId} has no run or repo`);
    // Before the push, so that a run whose statement cannot be signed is not pushed.
    const key = await statementKeys.signer();
    const refusal = run.state === "pushing" ? await pushRun(push, repo, { run, forge: openForge(repo) }) : null;
    await store.change(owner, async (repositories) => {
      const at = now();
      const panel = { url: panelUrl(), version: packageFile.version };
      const sign = (all: Repositories, pushed: RunRecord) => signRun(all, pushed, { repo, key, panel, at });
      await settlePush(repositories, { effect, refusal, at, sign });
      const isOver = (await repositories.runs.find(run.id))?.state !== "pushing";
      if (repo.isRemoved && isOver) await repositories.repos.destroyCredential(repo.id);
    });
    meter.effectTried("push", refusal);
  };
}

const FORGE_MS = 10_000;

/** Workers that clone within this time share a fetch. */
const FRESH_MS = 3_000;
/** A git client's second request refers to the refs that the first one listed. */
const ADVERTISED_MS = 60 * 60_000;

function relayOf(mirrors: Mirrors, openRepo: OpenRepo, now: () => number): DeliveryServices["relay"] {
  const relay = createRelay(mirrors);
  return {
    async serve(owner, { repoId, baseBranch, merge = null, isFollowUp = false }, request) {
      const repo = await openRepo(owner, repoId);
      if (repo === null || repo.isRemoved)
        throw new DomainError("not_found", { detail: "The repository was deleted." });
      const maxAgeMs = request.method !== "GET" ? ADVERTISED_MS : isFollowUp ? 0 : FRESH_MS;
      try {
        return await relay.serve({ repo, branch: baseBranch, merge, maxAgeMs }, request);
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        throw new DomainError("forge_error", {
          detail: `Repository unreachable: ${error.message}`,
          members: { repo_id: repo.id, forge_status: null },
          retryAt: now() + FORGE_AGAIN_MS,
        });
      }
    },
  };
}
