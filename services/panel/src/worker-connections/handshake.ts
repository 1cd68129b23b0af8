/**
 * Handles a worker's hello in one transaction of the account. It checks the key and the plan, registers the worker, replaces an older
 * connection, and resumes or drops each run that the worker holds.
 */
import { WORKER_CLOSES, type PanelFrame, type WorkerFrame } from "@triptych/contracts";
import { requeue, transitionRun } from "../domain/create-run.ts";
import type { Repositories } from "../domain/repositories.ts";
import { PLAN_TERMS } from "../domain/plans.ts";
import type { RunRecord } from "../domain/records.ts";
import { releaseCheck } from "../domain/repo-checks.ts";
import { isLeasedAt } from "../domain/leases.ts";
import { OUTBOX_COMMANDS, type WorkerRecord } from "../domain/workers.ts";
import { connectionOf, type Connection } from "./connection-registry.ts";
import type { WorkerConnection } from "./link.ts";
import { deadlineOf } from "../queue/lease-run.ts";
import { requestCancel, type RunLease, type ChannelContext } from "./channel-context.ts";
import { expireLease } from "../queue/leases.ts";

export type Hello = Extract<WorkerFrame, { readonly t: "hello" }>;
type Welcome = Extract<PanelFrame, { readonly t: "welcome" }>;

/** The account of the license key that opened the connection, and the hash of that key. */
export interface WorkerCredentials {
  readonly owner: string;
  readonly keyHash: string;
}

export type HandshakeResult =
  | { readonly kind: "welcome"; readonly connection: Connection }
  | { readonly kind: "refused"; readonly code: number; readonly reason: string };

export async function acceptHandshake(
  context: ChannelContext,
  { owner, keyHash }: WorkerCredentials,
  link: WorkerConnection,
  hello: Hello,
): Promise<HandshakeResult> {
  const { store, timers, newId, node, connections, leaseMs } = context;
  const now = timers.now();
  const settled = await store.change(owner, async (repositories): Promise<Settled> => {
    const license = await repositories.license.read();
    if (license.hash !== keyHash) return refused(WORKER_CLOSES.keyRotated, "the key was rotated");
    const { status, plan } = await repositories.account.read();
    if (status === "suspended") return refused(WORKER_CLOSES.forbidden, "the account is suspended");
    const registered = hello.worker_id === null ? null : await repositories.workers.find(hello.worker_id);
    const worker = workerOf(hello, {
      registered,
      id: registered?.id ?? newId("wrk"),
      keyGeneration: license.generation,
      now,
    });
    const present = registered === null ? null : await repositories.workers.connectionOf(registered.id);
    const others = (await repositories.workers.countConnected()) - (present === null ? 0 : 1);
    if (others >= (PLAN_TERMS[plan].workers ?? Infinity))
      return refused(WORKER_CLOSES.forbidden, `worker limit of plan ${plan} reached`);
    const connection: Connection = {
      owner,
      link,
      worker,
      openedAt: now,
      connectionId: newId("cnx"),
      process: hello.process ?? null,
      keyGeneration: license.generation,
      diskFreeMb: null,
      pausedUntil: now,
      notedAt: now,
      probedAt: 0,
      lastProbe: null,
      modelsAt: new Map(),
      canCheck: hello.can_check === true,
      runs: new Map(),
      refused: new Set(),
    };
    await repositories.workers.save(worker);
    await repositories.workers.connect(connectionOf(connection, node));
    await takeBack(context, repositories, worker.id, { hello, now });
    await releaseChecks(repositories, worker.id, { hello, now });
    return { kind: "settled", connection, ...(await reconcileLeases(repositories, worker.id, { hello, now })) };
  });
  if (settled.kind === "refused") return settled;

  const { connection, resumed, drop } = settled;
  const older = connections.add(connection);
  older?.link.close(WORKER_CLOSES.replaced, whyReplaced(older, connection.process));
  const beats = resumed.map(({ run }) => ({ owner, runId: run.id, epoch: run.epoch, workerId: connection.worker.id }));
  await store.fleet.moveLeases(beats.map((renewal) => ({ ...renewal, leaseUntil: now + leaseMs })));
  for (const { run } of resumed) {
    const { epoch } = run;
    connections.hold(connection, run.id, { epoch, deadline: deadlineOf(run), offeredAt: null, isCancelSent: false });
  }
  link.answer(welcomeOf(context, connection, { resumed, drop }));
  for (const { run } of resumed) if (run.cancelRequestedAt !== null) requestCancel(context, connection, leaseOf(run));
  return { kind: "welcome", connection };
}

/** Distinguishes a reconnecting worker from a second one with the same id. */
export function whyReplaced({ process }: Pick<Connection, "process">, by: string | null): "reconnected" | "replaced" {
  return process !== null && process === by ? "reconnected" : "replaced";
}

type Settled = Extract<HandshakeResult, { readonly kind: "refused" }> | ({ readonly kind: "settled" } & Settlement);

interface Settlement extends ReconciledLeases {
  readonly connection: Connection;
}

interface ReconciledLeases {
  readonly resumed: readonly { readonly run: RunRecord; readonly eventsUpto: number }[];
  readonly drop: Welcome["drop"];
}

function refused(code: number, reason: string): Extract<HandshakeResult, { readonly kind: "refused" }> {
  return { kind: "refused", code, reason };
}

interface RegistrationContext {
  readonly registered: WorkerRecord | null;
  readonly id: string;
  readonly keyGeneration: number;
  readonly now: number;
}

/** `enabled` comes from the store; everything else from the hello. */
function workerOf(hello: Hello, { registered, id, keyGeneration, now }: RegistrationContext): WorkerRecord {
  const { name, agents, slots, isolation, os, version, embedded = false } = hello;
  const figures = { seenAt: now, rttMs: null, outboxPending: 0, diskFreeMb: null, keyGeneration };
  const about = { id, name, agents, slots, isolation, os, version, embedded };
  return { ...about, enabled: registered?.enabled ?? true, createdAt: registered?.createdAt ?? now, figures };
}

/**
 * Takes back leased runs that the worker does not hold, without waiting for their leases to expire. An offer it never accepted counts no
 * attempt; any other run does.
 */
async function takeBack(
  context: ChannelContext,
  repositories: Repositories,
  workerId: string,
  { hello, now }: { readonly hello: Hello; readonly now: number },
): Promise<void> {
  for (const { id } of await repositories.queue.leased(workerId)) {
    const run = await repositories.runs.find(id);
    if (run === null || hello.holding.some(({ run_id, epoch }) => run_id === id && epoch === run.epoch)) continue;
    context.metrics.leaseLost("gone");
    if (run.state === "leased") await requeue(repositories, run, now);
    else await expireLease(repositories, { ...run, leaseUntil: now }, now);
  }
}

/** Releases checks that were assigned to the worker but that it does not hold, because its process has ended. */
async function releaseChecks(
  { checks }: Repositories,
  workerId: string,
  { hello, now }: { readonly hello: Hello; readonly now: number },
): Promise<void> {
  for (const check of await checks.running())
    if (check.workerId === workerId && hello.checking?.includes(check.id) !== true)
      await checks.save(releaseCheck(check, now));
}

/** Resumes each run that the worker still owns after the last stored message, and cancels the others. */
async function reconcileLeases(
  repositories: Repositories,
  workerId: string,
  { hello, now }: { readonly hello: Hello; readonly now: number },
): Promise<ReconciledLeases> {
  const [resumed, drop]: [ReconciledLeases["resumed"][number][], Welcome["drop"]] = [[], []];
  for (const { run_id, epoch } of hello.holding) {
    const run = await repositories.runs.find(run_id);
    if (run === null || run.epoch !== epoch || run.workerId !== workerId) {
      drop.push({ run_id, epoch, reason: "superseded" });
    } else if (isLeasedAt(run, epoch)) {
      // If the worker holds an offered run, it has accepted it: the `accept` frame was lost with the older connection.
      const taken = run.state === "leased" ? await transitionRun(repositories, run, "accepted", { at: now }) : run;
      resumed.push({ run: taken, eventsUpto: await repositories.bus.lastWseq(run.id, epoch) });
    } else {
      drop.push({ run_id, epoch, reason: run.state });
    }
  }
  return { resumed, drop };
}

function welcomeOf(
  { leaseMs, heartbeatMs }: ChannelContext,
  { worker, keyGeneration }: Connection,
  { resumed, drop }: ReconciledLeases,
): Welcome {
  return {
    t: "welcome",
    worker_id: worker.id,
    lease_s: leaseMs / 1000,
    hb_s: heartbeatMs / 1000,
    outbox: OUTBOX_COMMANDS,
    resume: resumed.map(({ run: { id, epoch }, eventsUpto }) => ({ run_id: id, epoch, events_upto: eventsUpto })),
    drop,
    enabled: worker.enabled,
    generation: keyGeneration,
  };
}

function leaseOf({ id, epoch }: RunRecord): RunLease {
  return { runId: id, epoch };
}
