/**
 * Decisions of wallets in any span of a minute. Where PostgreSQL counts for all gateways together, calls that come while a statement is
 * under way wait for the next one, which takes the places of all of them at once: those of one wallet would only have waited for each
 * other's lock, and a statement costs more than the places that it takes. The window stays exact, because nobody gets a place before it
 * is counted, and none is taken for a call that has not come.
 */
import { openRateWindows, type RateWindow } from "@triptych/metering";
import { isContention, readPrepared, sql, type Database } from "@triptych/storage";
import type { MinuteWindow } from "../domain/concurrency-limiter.ts";
import { withOutlook } from "./optimistic-admission.ts";
import type { GatewayTables } from "./tables.ts";

export const MINUTE_MS = 60_000;
const NAME = "decisions";

export interface MinuteWindowOptions {
  readonly database: Pick<Database<GatewayTables>, "engine" | "db">;
  /** For a given time (tests); the database's own clock otherwise, or that of the only process. */
  readonly clock?: () => number;
}

export function openMinuteWindow({ database, clock }: MinuteWindowOptions): MinuteWindow {
  const window = openRateWindows({ database, ...(clock && { clock }) }).open(NAME, MINUTE_MS);
  if (database.engine === "sqlite") return { ...window, isRoomy: () => false };
  const take = takenTogether(async (wishes) => {
    const call = sql<PlacesTaken>`
      select asked.place, taken.*
        from unnest(${wishes.map(({ key }) => `${NAME} ${key}`)}::text[], ${wishes.map(({ limit }) => limit)}::integer[],
                    ${wishes.map(({ calls }) => calls.length)}::integer[]) with ordinality as asked (name, most, count, place)
       cross join lateral rate_window_take_many(asked.name, asked.most, ${MINUTE_MS}::bigint, asked.count,
                                                ${clock?.() ?? null}::bigint) as taken`;
    return await readPrepared(database.db, call);
  });
  const outlook = withOutlook(take, { freshMs: MINUTE_MS, now: clock ?? Date.now });
  return { ...outlook, look: (wallet, limit) => window.look(wallet, limit) };
}

/** Places of one wallet, and who waits for them. */
interface Wish {
  readonly key: string;
  readonly limit: number;
  readonly calls: PromiseWithResolvers<Taken>[];
}

interface PlacesTaken {
  /** Of the wish, from 1. */
  readonly place: number;
  readonly at: number;
  /** Of those that were asked for. */
  readonly accepted: number;
  /** In the window, these included. */
  readonly counted: number;
  readonly oldest: number;
}

type Taken = Awaited<ReturnType<RateWindow["take"]>>;

/** A statement holds the locks of its wallets until it ends. */
const WALLETS_AT_ONCE = 32;

/** In the order in which they came: where not all have room, the first ones have. */
function takenTogether(takePlaces: (wishes: readonly Wish[]) => Promise<readonly PlacesTaken[]>): RateWindow["take"] {
  /** By wallet and limit, for the next statement. */
  const waiting = new Map<string, Wish>();
  let isTaking = false;

  return (key, limit) => {
    const mine = Promise.withResolvers<Taken>();
    const name = `${limit} ${key}`;
    const wish = waiting.get(name);
    if (wish === undefined) waiting.set(name, { key, limit, calls: [mine] });
    else wish.calls.push(mine);
    if (!isTaking) void takeWhileAsked();
    return mine.promise;
  };

  async function takeWhileAsked(): Promise<void> {
    isTaking = true;
    while (waiting.size > 0) {
      const next = [...waiting].slice(0, WALLETS_AT_ONCE);
      for (const [name] of next) waiting.delete(name);
      await decide(next.map(([, wish]) => wish).sort(byKey));
    }
    isTaking = false;
  }

  async function decide(wishes: readonly Wish[]): Promise<void> {
    try {
      const taken = new Map((await takePlaces(wishes)).map((one) => [one.place, one]));
      for (const [index, { calls, limit }] of wishes.entries()) answer(calls, limit, taken.get(index + 1));
    } catch (error) {
      // A statement that removes an ended window holds that too. One wallet at a time nobody waits for who waits for them.
      if (isContention(error) && wishes.length > 1) {
        for (const wish of wishes) await decide([wish]);
        return;
      }
      for (const { calls } of wishes) for (const { reject } of calls) reject(error);
    }
  }
}

/** Two gateways that lock the same wallets lock them in the same order. */
function byKey({ key: one }: Wish, { key: other }: Wish): number {
  return one < other ? -1 : Number(one > other);
}

function answer(calls: Wish["calls"], limit: number, taken: PlacesTaken | undefined): void {
  if (taken === undefined) throw new Error("the database accepted nothing and refused nothing");
  const { at, accepted, counted, oldest } = taken;
  const resetMs = oldest + MINUTE_MS - at;
  for (const [place, { resolve }] of calls.entries()) {
    const isAccepted = place < accepted;
    const after = isAccepted ? counted - accepted + place + 1 : counted;
    resolve({ accepted: isAccepted, remaining: limit - after, resetMs });
  }
}
