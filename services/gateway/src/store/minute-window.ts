/**
 * Decisions of wallets in any span of a minute. Where PostgreSQL counts for all gateways together, calls of one wallet that come while a
 * statement of it is under way wait for the next one, which takes their places at once: they would only have waited for each other's lock.
 * The window stays exact, because nobody gets a place before it is counted, and none is taken for a call that has not come.
 */
import { openRateWindows, type RateWindow } from "@triptych/metering";
import { readPrepared, sql, type Database } from "@triptych/storage";
import type { GatewayTables } from "./tables.ts";

export const MINUTE_MS = 60_000;
const NAME = "decisions";

export interface MinuteWindowOptions {
  readonly database: Pick<Database<GatewayTables>, "engine" | "db">;
  /** For a given time (tests); the database's own clock otherwise, or that of the only process. */
  readonly clock?: () => number;
}

export function openMinuteWindow({ database, clock }: MinuteWindowOptions): RateWindow {
  const window = openRateWindows({ database, ...(clock && { clock }) }).open(NAME, MINUTE_MS);
  if (database.engine === "sqlite") return window;
  const take = takenTogether(async ({ key, limit, count }) => {
    const call = sql<PlacesTaken>`
      select * from take_places(${`${NAME} ${key}`}, ${limit}::integer, ${MINUTE_MS}::bigint, ${count}::integer,
                                ${clock?.() ?? null}::bigint)`;
    const [taken] = await readPrepared(database.db, call);
    if (taken === undefined) throw new Error("the database accepted nothing and refused nothing");
    return taken;
  });
  return { take, look: (wallet, limit) => window.look(wallet, limit) };
}

interface Places {
  readonly key: string;
  readonly limit: number;
  readonly count: number;
}

interface PlacesTaken {
  readonly at: number;
  /** Of those that were asked for. */
  readonly accepted: number;
  /** In the window, these included. */
  readonly counted: number;
  readonly oldest: number;
}

type Taken = Awaited<ReturnType<RateWindow["take"]>>;

/** In the order in which they came: where not all have room, the first ones have. */
function takenTogether(takePlaces: (places: Places) => Promise<PlacesTaken>): RateWindow["take"] {
  /** Who waits for the next statement, of each wallet that has one under way. */
  const waiting = new Map<string, PromiseWithResolvers<Taken>[]>();

  return (key, limit) => {
    const mine = Promise.withResolvers<Taken>();
    const name = `${limit} ${key}`;
    const others = waiting.get(name);
    if (others !== undefined) others.push(mine);
    else void takeWhileAsked(name, { key, limit, first: mine });
    return mine.promise;
  };

  async function takeWhileAsked(
    name: string,
    { key, limit, first }: Omit<Places, "count"> & { readonly first: PromiseWithResolvers<Taken> },
  ): Promise<void> {
    const next: PromiseWithResolvers<Taken>[] = [];
    waiting.set(name, next);
    for (let group = [first]; group.length > 0; group = next.splice(0)) await decide(group, { key, limit });
    waiting.delete(name);
  }

  async function decide(
    group: readonly PromiseWithResolvers<Taken>[],
    { key, limit }: Omit<Places, "count">,
  ): Promise<void> {
    try {
      const { at, accepted, counted, oldest } = await takePlaces({ key, limit, count: group.length });
      const resetMs = oldest + MINUTE_MS - at;
      for (const [place, { resolve }] of group.entries()) {
        const isAccepted = place < accepted;
        const after = isAccepted ? counted - accepted + place + 1 : counted;
        resolve({ accepted: isAccepted, remaining: limit - after, resetMs });
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
