/**
 * Finds events in responses of the panel's API. `/api/changes` has no history, so a scan finds what happened while no
 * stream was open: new runs by their time, and runs that were open at the last scan by their ID.
 */
import { ProblemError, type Triptych } from "@triptych/client";
import type { Run } from "@triptych/contracts";
import type { Redactor } from "@triptych/redaction";
import { isRecord } from "@triptych/util";
import { eventOfWorker, eventsOfQuotas } from "./account-events.ts";
import type { NotifyEvent } from "./event.ts";
import type { Log } from "./log.ts";
import type { Rules } from "./rules.ts";
import { eventOfCandidate, eventOfRun, isOpen } from "./run-events.ts";
import { type NotifyDatabase, readFact, removeEventsBefore, storeEvents, writeFact } from "./store.ts";

export type PanelApi = Pick<Triptych["panel"], "account" | "candidates" | "runs" | "workerStatus">;

export interface ReaderOptions {
  readonly panel: PanelApi;
  readonly database: NotifyDatabase;
  readonly rules: Pick<Rules, "rules">;
  readonly redactor: Pick<Redactor, "text">;
  readonly log: Log;
  readonly now: () => number;
  /** First start only: events before this time are not reported. Default: now. */
  readonly since: number | null;
}

export interface PanelReader {
  scan(): Promise<void>;
  readRun(id: string): Promise<void>;
  readWorkers(): Promise<void>;
}

/** A run may become visible later than a run with a newer time. */
const OVERLAP_MS = 300_000;
/** Events are remembered for this time, and older ones are never reported. */
const RETENTION_MS = 90 * 24 * 3_600_000;
const PAGE = 100;

export function createPanelReader(options: ReaderOptions): PanelReader {
  const { panel, database, rules, redactor, log, now, since } = options;
  const { readOpenRuns, find, eventsOf, workerEvents } = createReads(options);

  return {
    async scan() {
      const startedAt = now();
      const account = await panel.account.get();
      const position = await readPosition(account.id);
      const events = [...eventsOfQuotas(account, startedAt), ...(await workerEvents())];
      const found = await readOpenRuns();
      const from = new Date(position - OVERLAP_MS).toISOString();
      for await (const run of panel.runs.iterate({ since: from, limit: PAGE })) found.set(run.id, run);
      for (const run of found.values()) events.push(...(await eventsOf(run)));
      await commit(events, [...found.values()], async (tx) => {
        await writeFact(tx, "runs_until", String(startedAt));
        await writeFact(tx, "read_at", String(startedAt));
        await removeEventsBefore(tx, startedAt - RETENTION_MS);
      });
    },
    async readRun(id) {
      const run = await find(id);
      if (run !== null) await commit(await eventsOf(run), [run]);
    },
    async readWorkers() {
      await commit(await workerEvents(), []);
    },
  };

  /**
   * Position of the last scan. Throws if the outbox belongs to another account, because its position is meaningless
   * here.
   */
  async function readPosition(accountId: string): Promise<number> {
    return await database.transaction(async (tx) => {
      const known = await readFact(tx, "account_id");
      if (known !== null && known !== accountId)
        throw new Error(
          `The outbox belongs to account ${known}, but the access token to account ${accountId}. Use another data folder.`,
        );
      const until = await readFact(tx, "runs_until");
      if (until !== null) return Number(until);
      const floor = since ?? now();
      await writeFact(tx, "account_id", accountId);
      await writeFact(tx, "floor_at", String(floor));
      await writeFact(tx, "runs_until", String(floor));
      return floor;
    });
  }

  /**
   * Messages, open runs and position change in one transaction: after a crash before the commit, they are read again.
   */
  async function commit(
    events: readonly NotifyEvent[],
    runs: readonly Run[],
    alsoWrite: (tx: Tx) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const stored = await database.transaction(async (tx) => {
      const floor = Math.max(Number(await readFact(tx, "floor_at")), now() - RETENTION_MS);
      const recent = events.filter(({ at }) => at >= floor).map((event) => redactedEvent(event, redactor));
      const added = await storeEvents(
        tx,
        recent.map((event) => ({ event, targets: targetsOf(rules, event) })),
        now(),
      );
      for (const run of runs)
        if (isOpen(run))
          await tx
            .insertInto("open_run")
            .values({ id: run.id })
            .onConflict((c) => c.doNothing())
            .execute();
        else await tx.deleteFrom("open_run").where("id", "=", run.id).execute();
      await alsoWrite(tx);
      return added;
    });
    for (const { id, type, at } of stored) log("event stored", { event: type, id, at: new Date(at).toISOString() });
  }
}

/** Requests to the panel, and the events in their responses. */
function createReads({ panel, database, now }: Pick<ReaderOptions, "panel" | "database" | "now">) {
  return { readOpenRuns, find, eventsOf, workerEvents };

  /** Runs that can still cause an event, and runs that could at the last scan. */
  async function readOpenRuns(): Promise<Map<string, Run>> {
    const found = new Map<string, Run>();
    for (const phase of ["active", "attention"] as const)
      for await (const run of panel.runs.iterate({ phase, limit: PAGE })) found.set(run.id, run);
    for (const { id } of await database.db.selectFrom("open_run").select("id").execute()) {
      if (found.has(id)) continue;
      const run = await find(id);
      if (run === null) await database.db.deleteFrom("open_run").where("id", "=", id).execute();
      else found.set(id, run);
    }
    return found;
  }

  async function find(id: string): Promise<Run | null> {
    try {
      return await panel.runs.get({ id });
    } catch (error) {
      if (error instanceof ProblemError && error.status === 404) return null;
      throw error;
    }
  }

  async function eventsOf(run: Run): Promise<NotifyEvent[]> {
    const event = eventOfRun(run, now());
    const events = event === null ? [] : [event];
    if (run.kind !== "explore" || isOpen(run) || (run.explore?.proposed ?? 0) === 0) return events;
    for await (const candidate of panel.candidates.iterate({ id: run.repo_id, limit: PAGE }))
      events.push(eventOfCandidate(candidate, run.repo_name));
    return events;
  }

  async function workerEvents(): Promise<readonly NotifyEvent[]> {
    const { workers } = await panel.workerStatus();
    return workers.map((worker) => eventOfWorker(worker, now())).filter((event) => event !== null);
  }
}

/** The panel redacts texts too, but stores only a hash of this process's access token. */
function redactedEvent(event: NotifyEvent, redactor: Pick<Redactor, "text">): NotifyEvent {
  const { title, text, data } = event;
  return { ...event, title: redactor.text(title), text: redactor.text(text), data: { ...membersOf(data) } };

  function membersOf(members: object): object {
    return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, redactedValue(value)]));
  }

  function redactedValue(value: unknown): unknown {
    if (typeof value === "string") return redactor.text(value);
    if (Array.isArray(value)) return value.map(redactedValue);
    return isRecord(value) ? membersOf(value) : value;
  }
}

type Tx = Parameters<Parameters<NotifyDatabase["transaction"]>[0]>[0];

export function targetsOf({ rules }: Pick<Rules, "rules">, event: Pick<NotifyEvent, "type" | "repo">) {
  return [...new Set(rules.filter((rule) => rule.matches(event)).flatMap(({ targets }) => targets))];
}
