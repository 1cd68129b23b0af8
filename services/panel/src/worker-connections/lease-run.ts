/** A run on its way to a worker: leased in one change of the account, then sent as `assign`. */
import type { PanelFrame } from "@triptych/contracts";
import { chooseMemories } from "../domain/select-memories.ts";
import { knownCandidates, type KnownCandidate } from "../domain/apply-scout-report.ts";
import { raiseIsolation } from "../domain/isolation.ts";
import { nextLease } from "../domain/leases.ts";
import { moveRun } from "../domain/create-run.ts";
import type { Books } from "../domain/repositories.ts";
import { aboutVariable, openEnvironment, type StoredEnvironment } from "../domain/repo-environment.ts";
import { busyWorkers, countsOf, heldUp, holdsNetwork, underWayOf, type Pair } from "../domain/queue.ts";
import type { MemoryRecord, RunRecord } from "../domain/records.ts";
import type { QueueView } from "../domain/worker-repositories.ts";
import type { CommandFrame } from "./link.ts";
import type { Live } from "./connection-registry.ts";
import type { Room } from "./channel-context.ts";

/** The token outlives the run by this: what was made in the last second can still be handed over. */
const TOKEN_LONGER_MS = 600_000;

export interface Leased {
  readonly run: RunRecord;
  readonly memories: readonly MemoryRecord[];
  /** Of a scout: what earlier ones found. */
  readonly known: readonly KnownCandidate[];
  /** As it is now: unlike the settings of the run, it holds secrets that may have been replaced. */
  readonly environment: StoredEnvironment;
}

interface Leasing {
  readonly pair: Pair;
  readonly live: Live;
  readonly view: QueueView;
  readonly now: number;
}

/**
 * Inside a change: what was seen outside is looked at again, because another node may have been quicker, or the run was cancelled.
 * Null then; whoever changed it has woken the dispatch again.
 */
export async function leaseRun(
  room: Pick<Room, "leaseMs" | "isolationMin">,
  books: Books,
  { pair, live, view, now }: Leasing,
): Promise<Leased | null> {
  const { runs, queue, memories, workers, repos, checks } = books;
  const found = await runs.find(pair.run.id);
  const worker = await workers.find(live.worker.id);
  if (found?.state !== "queued" || worker?.enabled !== true) return null;
  const run = raiseIsolation(found, room.isolationMin);
  const held = await queue.held();
  const checking = (await checks.running()).map(({ workerId }) => workerId);
  const busy = countsOf(busyWorkers(held, checking)).get(worker.id) ?? 0;
  if (busy >= worker.slots || heldUp(pair.run, underWayOf(view.plan, held), now) !== null) return null;

  const told = chooseMemories(await memories.active(run.repoId), { focus: run.focus, now });
  const ids = told.map(({ id }) => id);
  await memories.use(ids, now);
  const isUnenforced = !holdsNetwork(worker.isolation) && run.order.settings.isolation.network !== "open";
  const warnings = run.facts.warnings.filter((code) => !PASSING.has(code));
  const facts = {
    workerName: worker.name,
    isolationLevel: worker.isolation,
    memoryIds: ids,
    base: null,
    lack: undefined,
    usageBefore: run.facts.usage,
    warnings: isUnenforced ? [...warnings, UNENFORCED] : warnings,
  };
  const lease = { ...nextLease(run, now, room.leaseMs), workerId: worker.id, leasedAt: now };
  const known = run.kind === "explore" ? await knownCandidates(books, { repoId: run.repoId, now }) : [];
  const environment = (await repos.find(run.repoId))?.environment ?? {};
  const leased = await moveRun(books, run, "leased", { at: now, ...lease, facts });
  return { run: leased, memories: told, known, environment };
}

const UNENFORCED = "network_not_enforced";
/** Of a run that waits: a worker that seemed fit has said that it is not. */
export const WORKER_UNABLE = "worker_unable";
const PASSING: ReadonlySet<string> = new Set(["no_worker_connected", UNENFORCED, WORKER_UNABLE]);

/** When the run's own time is over, counted from its lease. */
export function deadlineOf({ leasedAt, queuedAt, order }: RunRecord): number {
  return (leasedAt ?? queuedAt) + order.settings.limits.timeout_s * 1000;
}

type Assign = Extract<CommandFrame, { readonly t: "assign" }>;

export function assignOf(
  room: Pick<Room, "runTokens" | "url" | "money" | "author" | "openVariable">,
  owner: string,
  { run, memories, known, environment }: Leased,
): Assign {
  const { id: runId, epoch, order, repoId } = run;
  const { settings } = order;
  const deadline = deadlineOf(run);
  return {
    t: "assign",
    run_id: runId,
    epoch,
    repo_id: repoId,
    deadline: new Date(deadline).toISOString(),
    run_token: room.runTokens.mint({ owner, runId, epoch }, deadline + TOKEN_LONGER_MS),
    clone: { url: `${room.url()}/api/worker/runs/${runId}/git`, branch: order.baseBranch, sha: null },
    verify: { cmd: order.verifyCmd, ...settings.verify },
    gate: order.gate,
    team: settings.team,
    prompt: { focus: run.focus, memories: memories.map(({ text }) => text) },
    title: order.candidate?.title ?? null,
    ...(room.author !== null && { author: room.author }),
    limits: settings.limits,
    prices: room.money.prices,
    usd_eur: room.money.usdEur,
    isolation: settings.isolation,
    environment: openEnvironment(environment, (value, name) =>
      room.openVariable(value, aboutVariable(owner, repoId, name)),
    ).map((variable) => ({ ...variable })),
    protected_paths: settings.protected_paths,
    explore: settings.explore,
    known: [...known],
    may_add_protected: order.mayAddProtected === true,
    kind: run.kind,
  } satisfies Omit<Extract<PanelFrame, { readonly t: "assign" }>, "cid">;
}
