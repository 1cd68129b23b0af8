import assert from "node:assert/strict";
import { test } from "node:test";
import { STATEMENT_MOVEMENTS_MAX } from "@triptych/contracts";
import { sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { statementOf } from "../../src/domain/statement.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, createFixture, type Fixture } from "./fixture.ts";

const engines = ["SQLite in memory", "PostgreSQL"] as const;
const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 3);

/**
 * A wallet with one real charge and `more` copies of it. The time advances a minute after every second copy, and every
 * third copy is for `score`.
 */
async function busyWallet(fixture: Fixture, more: number): Promise<string> {
  fixture.now = START;
  const wallet = await fixture.openWallet("w1", 1_000_000_000);
  await fixture.greet();
  await fixture.charge(ask(1));
  const { db } = fixture.database;
  const op = sql`case when i % 3 = 0 then 'score' else 'route' end`;
  const at = sql`${sql.lit(START)} + i / 2 * 60000`;
  await sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(more)})
    insert into charge select 'chg_x' || i, instance, boot, i + 1, wallet_id, state, ${op}, qty, price_id, amount_micro, promo_micro, revenue,
      key_hash, idk, req, res, issuer, kid, 'ent_x' || i, i + 2, balance_after_micro, prev, ${at}, delivered_at, voided_at, void_reason,
      token_id, spendable_micro
      from charge cross join n`.execute(db);
  await sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(more)})
    insert into entry select wallet_id, i + 2, 'ent_x' || i, kind, amount_micro, balance_after_micro, 'chg_x' || i, topup_id, reverses, ${op},
      ${at}, prev, token_id from entry cross join n where kind = 'charge'`.execute(db);
  await db
    .updateTable("wallet")
    .set({ seq: more + 2 })
    .where("id", "=", wallet)
    .execute();
  return wallet;
}

forEachEngine<RailTables>("reading a busy wallet", { migrations: RAIL_MIGRATIONS, engines }, (open) => {
  test("usage is summed over any number of entries without blocking other reads", async () => {
    await using fixture = createFixture(await open());
    const wallet = await busyWallet(fixture, 17_999);
    let ticks = 0;
    const counting = setInterval(() => (ticks += 1), 0);
    const span = { from: START, to: START + 31 * 24 * HOUR_MS };
    const days = await fixture.ledger.usage(wallet, { ...span, by: "day" });
    clearInterval(counting);
    assert.ok(ticks > 0, "it held the thread");
    assert.deepEqual(
      days.map(({ bucket }) => bucket),
      ["2026-01-03", "2026-01-04", "2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08", "2026-01-09"],
    );
    const sum = (items: readonly { readonly decisions: number; readonly amountMicro: number }[]) => [
      items.reduce((all, { decisions }) => all + decisions, 0),
      items.reduce((all, { amountMicro }) => all + amountMicro, 0),
    ];
    assert.deepEqual(sum(days), [18_000, 9_000_000]);
    assert.deepEqual(await fixture.ledger.usage(wallet, { ...span, by: "op" }), [
      { bucket: "route", decisions: 12_001, amountMicro: 6_000_500 },
      { bucket: "score", decisions: 5_999, amountMicro: 2_999_500 },
    ]);
    const hours = await fixture.ledger.usage(wallet, { ...span, by: "hour" });
    assert.deepEqual(sum(hours), [18_000, 9_000_000]);
    assert.deepEqual(hours.at(1), { bucket: "2026-01-03T01:00:00.000Z", decisions: 120, amountMicro: 60_000 });
    const oneHour = { from: START + HOUR_MS, to: START + 2 * HOUR_MS, by: "day" } as const;
    assert.deepEqual(await fixture.ledger.usage(wallet, oneHour), [
      { bucket: "2026-01-03", decisions: 120, amountMicro: 60_000 },
    ]);
  });

  test("a month with more movements than a statement allows has none, and one at the limit has one", async () => {
    await using fixture = createFixture(await open());
    const wallet = await busyWallet(fixture, STATEMENT_MOVEMENTS_MAX - 2);
    const month = { walletId: wallet, month: "2026-01" };
    assert.equal((await statementOf(fixture.ledger, month))?.movements.length, STATEMENT_MOVEMENTS_MAX);
    const adjustment = { amountMicro: 1, operator: "o", reason: "one more", context: fixture.context() };
    await fixture.ledger.adjust(wallet, adjustment);
    assert.equal(await statementOf(fixture.ledger, month), null);
  });
});
