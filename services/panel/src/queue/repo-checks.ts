/**
 * Assigns repo checks to workers of this node once a second; a check takes a slot as a run does. Each check is read again inside its
 * transaction, so only one of two nodes gets it.
 */
import type { PanelFrame, RepoSettings, WorkerFrame } from "@triptych/contracts";
import { atLeast, isBelow } from "../domain/isolation.ts";
import type { Repositories } from "../domain/repositories.ts";
import { busyWorkers, countsOf } from "./rules.ts";
import type { RepoRecord, CheckRecord } from "../domain/records.ts";
import { claimCheck, releaseCheck, returnCheck, finishCheck } from "../domain/repo-checks.ts";
import { aboutVariable, openEnvironment } from "../domain/repo-environment.ts";
import type { CheckPlace } from "../domain/worker-repositories.ts";
import type { Connection } from "../worker-connections/connection-registry.ts";
import { REFUSAL_PAUSE_MS } from "./dispatch.ts";
import type { ChannelContext } from "../worker-connections/channel-context.ts";

const CHECKS_PER_TICK_MAX = 100;
/** Time for the clone, in addition to both commands. */
const CLONE_SECONDS = 600;
/** The worker ends a check at its deadline and has this long to report it. */
const GRACE_MS = 60_000;

export async function dispatchChecks(context: ChannelContext, now: number): Promise<void> {
  const { store, connections, onError } = context;
  const doAll = async (keys: readonly CheckPlace[], act: (key: CheckPlace) => Promise<void>) => {
    for (const key of keys)
      await act(key).catch((error: unknown) => onError(error, "dispatching a repo check failed; retrying"));
  };
  await doAll(await store.fleet.overdueChecks(now, CHECKS_PER_TICK_MAX), (key) => releaseOverdue(context, key, now));
  const owners = new Set(
    [...connections.all].filter((connection) => isReady(connection, now)).map(({ owner }) => owner),
  );
  if (owners.size === 0) return;
  await doAll(await store.fleet.pendingChecks([...owners], CHECKS_PER_TICK_MAX), (key) => dispatch(context, key, now));
}

function isReady({ canCheck, worker, pausedUntil }: Connection, now: number): boolean {
  return canCheck && worker.enabled && pausedUntil <= now;
}

async function releaseOverdue({ store }: ChannelContext, { owner, repoId }: CheckPlace, now: number): Promise<void> {
  await store.change(owner, async ({ checks }) => {
    const check = await checks.find(repoId);
    if (check?.state === "running" && (check.deadline ?? 0) <= now) await checks.save(releaseCheck(check, now));
  });
}

async function dispatch(context: ChannelContext, { owner, repoId }: CheckPlace, now: number): Promise<void> {
  const { store, connections } = context;
  // Checked before the transaction, so that a check without a suitable worker does not cause a write every second.
  const candidates = await freeWorkers(context, store.of(owner), { owner, repoId, now });
  if (candidates.length === 0) return;
  const claimed = await store.change(owner, async (repositories): Promise<Claimed | null> => {
    const [repo, check] = [await repositories.repos.find(repoId), await repositories.checks.find(repoId)];
    const [connection] = await freeWorkers(context, repositories, { owner, repoId, now });
    const { status } = await repositories.account.read();
    if (repo === null || check?.state !== "pending" || connection === undefined || status === "suspended") return null;
    const deadline = now + secondsFor(repo.settings) * 1000 + GRACE_MS;
    const running = claimCheck(check, { workerId: connection.worker.id, deadline });
    await repositories.checks.save(running);
    return { connection, repo, check: running, deadline };
  });
  if (claimed === null) return;
  const { connection, check } = claimed;
  const isPresent = connections.find(owner, connection.worker.id) === connection;
  if (isPresent && connection.link.command(checkFrame(context, owner, claimed), now) !== null) return;
  connection.pausedUntil = now + REFUSAL_PAUSE_MS;
  await store.change(owner, async ({ checks }) => {
    const same = await checks.find(repoId);
    if (same?.state === "running" && same.id === check.id) await checks.save(returnCheck(same));
  });
}

interface Claimed {
  readonly connection: Connection;
  readonly repo: RepoRecord;
  readonly check: CheckRecord;
  readonly deadline: number;
}

interface CheckQuery extends CheckPlace {
  readonly now: number;
}

async function freeWorkers(
  { connections, isolationMin }: ChannelContext,
  { repos, queue, checks }: Pick<Repositories, "repos" | "queue" | "checks">,
  { owner, repoId, now }: CheckQuery,
): Promise<readonly Connection[]> {
  const repo = await repos.find(repoId);
  // A clone may be impossible until the panel has reached the repo.
  if (repo === null || repo.status === "checking") return [];
  const least = atLeast(isolationMin, repo.settings.isolation.level_required);
  const checking = (await checks.running()).map(({ workerId }) => workerId);
  const busy = countsOf(busyWorkers(await queue.leased(), checking));
  const freeSlotsOf = ({ worker }: Connection) => worker.slots - (busy.get(worker.id) ?? 0);
  return [...connections.of(owner).values()]
    .filter((connection) => isReady(connection, now) && freeSlotsOf(connection) > 0)
    .filter(({ worker: { isolation } }) => !isBelow(isolation, least))
    .toSorted((a, other) => freeSlotsOf(other) - freeSlotsOf(a));
}

function secondsFor({ verify }: RepoSettings): number {
  return 2 * verify.timeout_s + CLONE_SECONDS;
}

type CheckFrame = Omit<Extract<PanelFrame, { readonly t: "check" }>, "cid">;

function checkFrame(context: ChannelContext, owner: string, { repo, check, deadline }: Claimed): CheckFrame {
  const { settings, id: repoId } = repo;
  return {
    t: "check",
    check_id: check.id,
    repo_id: repoId,
    clone: { url: `${context.url()}/api/worker/checks/${check.id}/git`, branch: null, sha: null },
    token: context.checkTokens.mint({ owner, repoId, checkId: check.id }, deadline),
    verify: { cmd: settings.verify_cmd, ...settings.verify },
    isolation: {
      ...settings.isolation,
      level_required: atLeast(context.isolationMin, settings.isolation.level_required),
    },
    limits: settings.limits,
    environment: openEnvironment(repo.environment, (value, name) =>
      context.openVariable(value, aboutVariable(owner, repoId, name)),
    ).map((variable) => ({ ...variable })),
    timeout_s: secondsFor(settings),
  };
}

type Checked = Extract<WorkerFrame, { readonly t: "checked" }>;

export async function takeChecked(context: ChannelContext, connection: Connection, frame: Checked): Promise<void> {
  const { store, secrets, timers } = context;
  const { owner } = connection;
  const running = await store.of(owner).checks.running();
  const own = running.find(({ id, workerId }) => id === frame.check_id && workerId === connection.worker.id);
  const repo = own === undefined ? null : await store.of(owner).repos.find(own.repoId);
  if (own !== undefined && repo !== null) {
    const redactor = await secrets.redactorOfRepo(owner, repo);
    const result = {
      setup: commandOf(frame.setup),
      verify: commandOf(frame.verify),
      isUnavailable: frame.unavailable,
      message: frame.message === null ? null : redactor.text(frame.message),
    };
    await store.change(owner, async ({ checks }) => {
      const same = await checks.find(own.repoId);
      // A check gets a new ID when its commands change.
      if (same?.id === own.id && same.state === "running" && same.workerId === own.workerId)
        await checks.save(finishCheck(same, result, timers.now()));
    });
    context.wake(owner);
  }
  connection.link.answer({ t: "checked_ack", check_id: frame.check_id });
}

function commandOf(end: Checked["setup"]) {
  return end === null ? null : { exitCode: end.exit_code, durationMs: end.duration_ms };
}
