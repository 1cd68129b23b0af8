/**
 * Counts decisions per wallet in any 60-second window. With PostgreSQL, calls that arrive during a statement share the
 * next one, because separate statements would wait for the same row lock. The limit stays exact, because every slot is
 * counted before it is granted.
 */
import { openRateWindows, type RateWindow } from "@triptych/rate-limit";
import { isContention, readPrepared, sql, type Database } from "@triptych/storage";
import type { MinuteWindow } from "../domain/concurrency-limiter.ts";
import type { GatewayTables } from "./migrations.ts";

export const MINUTE_MS = 60_000;
const NAME = "decisions";

export interface MinuteWindowOptions {
  readonly database: Pick<Database<GatewayTables>, "engine" | "db">;
  /** Clock for tests; defaults to the database clock, or to the local clock with SQLite. */
  readonly clock?: () => number;
}

export function openMinuteWindow({ database, clock }: MinuteWindowOptions): MinuteWindow {
  const window = openRateWindows({ database, ...(clock && { clock }) }).open(NAME, MINUTE_MS);
  if (database.engine === "sqlite") return window;
  const take = takenTogether(async (requests) => {
    const call = sql<TakenSlots>`
      select request.place, taken.*
        from unnest(${requests.map(({ key }) => `${NAME} ${key}`)}::text[], ${requests.map(({ limit }) => limit)}::integer[],
                    ${requests.map(({ calls }) => calls.length)}::integer[]) with ordinality as request (name, most, count, place)
       cross join lateral rate_window_take_many(request.name, request.most, ${MINUTE_MS}::bigint, request.count,
                                                ${clock?.() ?? null}::bigint) as taken`;
    return await readPrepared(database.db, call);
  });
  return { take, peek: (wallet, limit) => window.peek(wallet, limit) };
}

/** Slots requested for one wallet, and the callers that wait for them. */
interface WalletRequest {
  readonly key: string;
  readonly limit: number;
  readonly calls: PromiseWithResolvers<Taken>[];
}

interface TakenSlots {
  /** Number of the request, from 1. */
  readonly place: number;
  readonly at: number;
  /** How many of the requested slots were accepted. */
  readonly accepted: number;
  readonly counted: number;
  readonly oldest: number;
}

type Taken = Awaited<ReturnType<RateWindow["take"]>>;

const WALLETS_AT_ONCE = 32;

/** First come, first served: if there is not enough capacity for all, the earliest calls get the slots. */
function takenTogether(
  takeSlots: (requests: readonly WalletRequest[]) => Promise<readonly TakenSlots[]>,
): RateWindow["take"] {
  /** Requests of the next statement, by wallet and limit. */
  const waiting = new Map<string, WalletRequest>();
  let isTaking = false;

  return (key, limit) => {
    const mine = Promise.withResolvers<Taken>();
    const name = `${limit} ${key}`;
    const request = waiting.get(name);
    if (request === undefined) waiting.set(name, { key, limit, calls: [mine] });
    else request.calls.push(mine);
    if (!isTaking) void takeWhileWaiting();
    return mine.promise;
  };

  async function takeWhileWaiting(): Promise<void> {
    isTaking = true;
    while (waiting.size > 0) {
      const next = [...waiting].slice(0, WALLETS_AT_ONCE);
      for (const [name] of next) waiting.delete(name);
      await decide(next.map(([, request]) => request).sort(byKey));
    }
    isTaking = false;
  }

  async function decide(requests: readonly WalletRequest[]): Promise<void> {
    try {
      const taken = new Map((await takeSlots(requests)).map((slots) => [slots.place, slots]));
      for (const [index, { calls, limit }] of requests.entries()) answer(calls, limit, taken.get(index + 1));
    } catch (error) {
      // A concurrent cleanup that locks the same rows can cause a deadlock. With one wallet per statement, no lock
      // cycle is possible.
      if (isContention(error) && requests.length > 1) {
        for (const request of requests) await decide([request]);
        return;
      }
      for (const { calls } of requests) for (const { reject } of calls) reject(error);
    }
  }
}

/** A fixed lock order, so that two gateways with the same wallets cannot deadlock. */
function byKey({ key: left }: WalletRequest, { key: other }: WalletRequest): number {
  return left < other ? -1 : Number(left > other);
}

function answer(calls: WalletRequest["calls"], limit: number, taken: TakenSlots | undefined): void {
  if (taken === undefined) throw new Error("rate limit statement returned no row");
  const { at, accepted, counted, oldest } = taken;
  const resetMs = oldest + MINUTE_MS - at;
  for (const [index, { resolve }] of calls.entries()) {
    const isAccepted = index < accepted;
    const after = isAccepted ? counted - accepted + index + 1 : counted;
    resolve({ accepted: isAccepted, remaining: limit - after, resetMs });
  }
}
