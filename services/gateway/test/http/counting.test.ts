/** PostgreSQL only: a lock on the window's row delays the count of a decision. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openDatabase, sql, type Database } from "@triptych/storage";
import { startPostgres, withoutPostgres } from "@triptych/storage/testing";
import { GATEWAY_MIGRATIONS, GATEWAY_SCHEMA, type GatewayTables } from "../../src/store/migrations.ts";
import { createFixture, until, type Asking, type Reply, type Wallet } from "../support/create-fixture.ts";
import { openWire } from "../support/wire.ts";

/** In CI, a missing server is a failure: the suite runs, and its first start reports the reason. */
const skip = withoutPostgres();
const BODY = { state: "will it rain" };
const PER_MINUTE = 10;
const FULL = [429, "rate_limited", '"minute";r=0;t=60', '"minute";q=10;w=60', "60"];

function outcomeOf({ status, json, headers }: Reply): unknown[] {
  return [status, json.code, ...["ratelimit", "ratelimit-policy", "retry-after"].map((name) => headers.get(name))];
}

async function openPlay() {
  await using opened = new AsyncDisposableStack();
  const url = await (await startPostgres({ durable: false })).createDatabase();
  const fixture = opened.use(await createFixture({ DATABASE_URL: url, GATEWAY_RATE: String(PER_MINUTE) }));
  const router = opened.use(await openWire(fixture.routerUrl));
  const gateway = opened.use(await fixture.openGateway({ ROUTER_INTERNAL_URL: router.url }));
  const database: Database<GatewayTables> = opened.use(
    await openDatabase<GatewayTables>({ url, schema: GATEWAY_SCHEMA, migrations: GATEWAY_MIGRATIONS }),
  );
  const parts = opened.move();
  return {
    fixture,
    router,
    gateway,
    ask: ({ token }: Wallet, options: Asking = {}) => gateway.ask("/v1/noul", { token, body: BODY, ...options }),
    /** A wallet whose usage the gateway already knows: one slot is taken. */
    async openCountedWallet(): Promise<Wallet> {
      const wallet = await fixture.openWallet();
      assert.equal((await gateway.ask("/v1/noul", { token: wallet.token, body: BODY })).status, 200);
      return wallet;
    },
    /** Grants no slot before `release`; after `fill`, the window is full. */
    async holdMinute({ id }: Wallet) {
      const name = `decisions ${id}`;
      const locked = Promise.withResolvers<void>();
      const ending = Promise.withResolvers<"as it was" | "full">();
      const holding = database.transaction(async (tx) => {
        await sql`select from rate_window where name = ${name} for update`.execute(tx);
        locked.resolve();
        if ((await ending.promise) === "as it was") return;
        const now = sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;
        await sql`update rate_window set stamps = array_fill(${now}, array[${PER_MINUTE}::integer]) where name = ${name}`.execute(
          tx,
        );
      });
      await locked.promise;
      const end = (how: "as it was" | "full") => {
        ending.resolve(how);
        return holding;
      };
      return { release: () => end("as it was"), fill: () => end("full") };
    },
    untilWaiting: () =>
      until("a call waits for its slot", async () => {
        const { rows } = await sql`select from pg_locks where not granted`.execute(database.db);
        return rows.length > 0;
      }),
    untilNobodyIsIn: () =>
      until("no call is in progress", async () => {
        const { text } = await gateway.ask("/metrics");
        return /calls_in_flight\{[^}]*\} 0/.test(text);
      }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

describe("a decision that waits for its slot", { skip }, () => {
  let play: Awaited<ReturnType<typeof openPlay>>;

  before(async () => {
    play = await openPlay();
  });
  after(() => play[Symbol.asyncDispose]());

  test("reaches a router only after it has been counted, and is charged once", async () => {
    const wallet = await play.openCountedWallet();
    const minute = await play.holdMinute(wallet);
    const count = play.router.received.length;
    const call = play.ask(wallet);
    await play.untilWaiting();
    assert.equal(play.router.received.length, count);
    await minute.release();
    const answer = await call;
    assert.equal(answer.status, 200);
    assert.equal(play.router.received.length, count + 1);
    assert.match(answer.headers.get("ratelimit") ?? "", /^"minute";r=8;t=\d+$/);
    assert.equal(await play.fixture.balance(wallet), 99_000);
  });

  test("gets 429 with all headers if the window is full, whatever its body, and never reaches a router", async () => {
    for (const options of [
      {},
      { body: "{broken" },
      { body: '{"state":1e400}' },
      { headers: { "content-type": "text/plain" } },
      { body: { stat: 1 } },
      { key: "" },
    ]) {
      const wallet = await play.openCountedWallet();
      const minute = await play.holdMinute(wallet);
      const count = play.router.received.length;
      const call = play.ask(wallet, options);
      await play.untilWaiting();
      await minute.fill();
      const refused = await call;
      assert.deepEqual(outcomeOf(refused), FULL, JSON.stringify(options));
      assert.equal(refused.headers.get("x-meter-remaining"), "199");
      assert.equal(refused.headers.get("x-rail-receipt"), null);
      assert.equal(play.router.received.length, count);
      assert.equal(await play.fixture.balance(wallet), 99_500);
    }
    await play.untilNobodyIsIn();
  });

  test("is rejected for its issues after its slot has been counted", async () => {
    const wallet = await play.openCountedWallet();
    for (const [left, options, status, code] of [
      [8, { body: "{broken" }, 400, "invalid_json"],
      [7, { headers: { "content-type": "text/plain" } }, 415, "unsupported_media_type"],
      [6, { body: { stat: 1 } }, 400, "validation_failed"],
    ] as const) {
      const minute = await play.holdMinute(wallet);
      const call = play.ask(wallet, options);
      await play.untilWaiting();
      await minute.release();
      const refused = await call;
      assert.deepEqual([refused.status, refused.json.code], [status, code]);
      assert.match(refused.headers.get("ratelimit") ?? "", new RegExp(`^"minute";r=${left};`));
    }
    assert.equal(await play.fixture.balance(wallet), 99_500);
  });

  test("is not charged if its client disconnects in the meantime", async () => {
    const wallet = await play.openCountedWallet();
    const minute = await play.holdMinute(wallet);
    const leaving = new AbortController();
    const call = assert.rejects(play.ask(wallet, { signal: leaving.signal }), { name: "AbortError" });
    await play.untilWaiting();
    leaving.abort();
    await call;
    await play.untilNobodyIsIn();
    await minute.release();
    const answer = await play.ask(wallet);
    assert.match(answer.headers.get("ratelimit") ?? "", /^"minute";r=7;/);
    assert.equal(await play.fixture.balance(wallet), 99_000);
  });
});
