/**
 * A worker says who it is and what it holds. One change of the account settles it all: the key is still the present one, the plan has
 * room, the worker is known under its id, this connection takes the place of an older one, and what it holds is resumed or dropped.
 */
import { WORKER_CLOSES, type PanelFrame, type WorkerFrame } from "@triptych/contracts";
import { giveBack, moveRun } from "../domain/create-run.ts";
import type { Books } from "../domain/repositories.ts";
import { PLAN_TERMS } from "../domain/plans.ts";
import type { RunRecord } from "../domain/records.ts";
import { releaseCheck } from "../domain/repo-checks.ts";
import { isHeard } from "../domain/leases.ts";
import { OUTBOX_COMMANDS, type WorkerRecord } from "../domain/workers.ts";
import { connectionOf, type Live } from "./connection-registry.ts";
import type { Link } from "./link.ts";
import { deadlineOf } from "./lease-run.ts";
import { tellToStop, type Held, type Room } from "./channel-context.ts";
import { lapse } from "./expire-leases.ts";

export type Hello = Extract<WorkerFrame, { readonly t: "hello" }>;
type Welcome = Extract<PanelFrame, { readonly t: "welcome" }>;

/** Who opened the connection: the account whose key it presented, and the hash of that key. */
export interface Pass {
  readonly owner: string;
  readonly keyHash: string;
}

export type Greeting =
  | { readonly kind: "welcome"; readonly live: Live }
  | { readonly kind: "refused"; readonly code: number; readonly reason: string };

export async function greet(room: Room, { owner, keyHash }: Pass, link: Link, hello: Hello): Promise<Greeting> {
  const { store, timers, newId, node, crew, leaseMs } = room;
  const now = timers.now();
  const settled = await store.change(owner, async (books): Promise<Settled> => {
    const license = await books.license.read();
    if (license.hash !== keyHash) return refused(WORKER_CLOSES.keyRotated, "the key was rotated");
    const { status, plan } = await books.account.read();
    if (status === "suspended") return refused(WORKER_CLOSES.forbidden, "the account is suspended");
    const known = hello.worker_id === null ? null : await books.workers.find(hello.worker_id);
    const worker = workerOf(hello, { known, id: known?.id ?? newId("wrk"), keyGeneration: license.generation, now });
    const present = known === null ? null : await books.workers.connectionOf(known.id);
    const others = (await books.workers.countConnected()) - (present === null ? 0 : 1);
    if (others >= (PLAN_TERMS[plan].workers ?? Infinity))
      return refused(WORKER_CLOSES.forbidden, `plan ${plan} has no room for another worker`);
    const live: Live = {
      owner,
      link,
      worker,
      openedAt: now,
      connectionId: newId("cnx"),
      process: hello.process ?? null,
      keyGeneration: license.generation,
      diskFreeMb: null,
      restsUntil: now,
      notedAt: now,
      probedAt: 0,
      lastProbe: null,
      modelsAt: new Map(),
      canCheck: hello.can_check === true,
      runs: new Map(),
      refused: new Set(),
    };
    await books.workers.save(worker);
    await books.workers.connect(connectionOf(live, node));
    await takeBack(room, books, worker.id, { hello, now });
    await releaseChecks(books, worker.id, { hello, now });
    return { kind: "settled", live, ...(await settleHoldings(books, worker.id, { hello, now })) };
  });
  if (settled.kind === "refused") return settled;

  const { live, kept, drop } = settled;
  const older = crew.add(live);
  older?.link.close(WORKER_CLOSES.replaced, whyReplaced(older, live.process));
  const beats = kept.map(({ run }) => ({ owner, runId: run.id, epoch: run.epoch, workerId: live.worker.id }));
  await store.fleet.moveLeases(beats.map((beat) => ({ ...beat, leaseUntil: now + leaseMs })));
  for (const { run } of kept) {
    const { epoch } = run;
    crew.hold(live, run.id, { epoch, deadline: deadlineOf(run), offeredAt: null, isCancelSent: false });
  }
  link.answer(welcomeOf(room, live, { kept, drop }));
  for (const { run } of kept) if (run.cancelRequestedAt !== null) tellToStop(room, live, heldOf(run));
  return { kind: "welcome", live };
}

/** A worker that comes back is told apart from a second one under its id. */
export function whyReplaced({ process }: Pick<Live, "process">, by: string | null): "reconnected" | "replaced" {
  return process !== null && process === by ? "reconnected" : "replaced";
}

type Settled = Extract<Greeting, { readonly kind: "refused" }> | ({ readonly kind: "settled" } & Settlement);

interface Settlement extends Holdings {
  readonly live: Live;
}

interface Holdings {
  readonly kept: readonly { readonly run: RunRecord; readonly eventsUpto: number }[];
  readonly drop: Welcome["drop"];
}

function refused(code: number, reason: string): Extract<Greeting, { readonly kind: "refused" }> {
  return { kind: "refused", code, reason };
}

interface Known {
  readonly known: WorkerRecord | null;
  readonly id: string;
  readonly keyGeneration: number;
  readonly now: number;
}

/** Whether it is enabled is kept by its id; all else is as it says now. */
function workerOf(hello: Hello, { known, id, keyGeneration, now }: Known): WorkerRecord {
  const { name, agents, slots, isolation, os, version, embedded = false } = hello;
  const figures = { seenAt: now, rttMs: null, outboxPending: 0, diskFreeMb: null, keyGeneration };
  const about = { id, name, agents, slots, isolation, os, version, embedded };
  return { ...about, enabled: known?.enabled ?? true, createdAt: known?.createdAt ?? now, figures };
}

/**
 * What it was given and does not hold is done nowhere: nobody waits for the end of its lease. An offer it has never taken; all else is
 * a try that came to nothing.
 */
async function takeBack(
  room: Room,
  books: Books,
  workerId: string,
  { hello, now }: { readonly hello: Hello; readonly now: number },
): Promise<void> {
  for (const { id } of await books.queue.held(workerId)) {
    const run = await books.runs.find(id);
    if (run === null || hello.holding.some(({ run_id, epoch }) => run_id === id && epoch === run.epoch)) continue;
    room.metrics.leaseLost("gone");
    if (run.state === "leased") await giveBack(books, run, now);
    else await lapse(books, { ...run, leaseUntil: now }, now);
  }
}

/** Checks that it was given and neither runs nor reports: its process has ended. */
async function releaseChecks(
  { checks }: Books,
  workerId: string,
  { hello, now }: { readonly hello: Hello; readonly now: number },
): Promise<void> {
  for (const check of await checks.running())
    if (check.workerId === workerId && hello.checking?.includes(check.id) !== true)
      await checks.save(releaseCheck(check, now));
}

/** What is still its own goes on where the panel heard it last; it is told to drop all else. */
async function settleHoldings(
  books: Books,
  workerId: string,
  { hello, now }: { readonly hello: Hello; readonly now: number },
): Promise<Holdings> {
  const [kept, drop]: [Holdings["kept"][number][], Welcome["drop"]] = [[], []];
  for (const { run_id, epoch } of hello.holding) {
    const run = await books.runs.find(run_id);
    if (run === null || run.epoch !== epoch || run.workerId !== workerId) {
      drop.push({ run_id, epoch, reason: "superseded" });
    } else if (isHeard(run, epoch)) {
      // That it holds an offer says that it took it: its word was lost with the older connection.
      const taken = run.state === "leased" ? await moveRun(books, run, "accepted", { at: now }) : run;
      kept.push({ run: taken, eventsUpto: await books.bus.saidUpTo(run.id, epoch) });
    } else {
      drop.push({ run_id, epoch, reason: run.state });
    }
  }
  return { kept, drop };
}

function welcomeOf({ leaseMs, heartbeatMs }: Room, { worker, keyGeneration }: Live, { kept, drop }: Holdings): Welcome {
  return {
    t: "welcome",
    worker_id: worker.id,
    lease_s: leaseMs / 1000,
    hb_s: heartbeatMs / 1000,
    outbox: OUTBOX_COMMANDS,
    resume: kept.map(({ run: { id, epoch }, eventsUpto }) => ({ run_id: id, epoch, events_upto: eventsUpto })),
    drop,
    enabled: worker.enabled,
    generation: keyGeneration,
  };
}

function heldOf({ id, epoch }: RunRecord): Held {
  return { runId: id, epoch };
}
