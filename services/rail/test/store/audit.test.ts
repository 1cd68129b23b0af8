import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import type { LedgerCharge } from "../../src/domain/unit-of-work.ts";
import { auditEntries } from "../../src/domain/audit-entries.ts";
import type { JournalEntry } from "../../src/domain/entry.ts";
import { auditPages } from "../../src/store/audit-pages.ts";
import { chainedPages } from "../../src/store/hash-chain-pages.ts";
import { engineOf } from "../../src/store/engine.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, BY, chargeOf, hashOf, createFixture, type Fixture } from "./fixture.ts";

/** A ledger with every kind of movement: both buckets, delivered, voided, refunded, keyed, topped up, purchased. */
async function lived(fixture: Fixture): Promise<{ wallet: string; other: string; voided: string; refunded: string }> {
  const wallet = await fixture.openWallet("w1", 1000, { judgeStarter: () => "granted" });
  const other = await fixture.openWallet("w2", 60_000_000);
  await fixture.greet();
  const [outcomes] = await fixture.send({
    charges: [
      ask(1, { priceMicro: 100_200 }),
      ask(2, { keyHash: hashOf("k"), sealed: "s" }),
      ask(3, { walletHash: hashOf("w2"), keyHash: hashOf("k") }),
      ask(4, { walletHash: hashOf("w2") }),
      ask(5, { walletHash: hashOf("w2"), keyHash: hashOf("k2") }),
    ],
  });
  await fixture.send({ voids: [{ seq: 1, reason: "client_gone" }], ack: { through: 4, also: [] } });
  const topup = await fixture.pendingTopup(wallet);
  await fixture.ledger.applyTopupEvent(topup.id, { kind: "paid" }, { context: fixture.context() });
  const thing = { sku: "custom-head", ref: "tools", priceId: "custom-head-v1", amountMicro: 49_000_000 };
  await fixture.ledger.buy({ walletId: other, ...thing }, fixture.context());
  const refunded = chargeOf(outcomes?.[3]).id;
  await fixture.ledger.refundCharge(refunded, { ...BY, context: fixture.context() });
  return { wallet, other, voided: chargeOf(outcomes?.[0]).id, refunded };
}

/** Changes that an attacker with access to the database could make. */
async function tamper({ database }: Fixture, ...statements: string[]): Promise<void> {
  const { db, engine } = database;
  const drop = (trigger: string, table: string) =>
    sql.raw(engine === "sqlite" ? `drop trigger ${trigger}` : `drop trigger ${trigger} on ${table}`).execute(db);
  await drop("entry_keeps", "entry");
  await drop("entry_stays", "entry");
  await drop("transfer_keeps", "transfer");
  await drop("transfer_stays", "transfer");
  await drop("charge_stays", "charge");
  await sql.raw("drop index transfer_reverses").execute(db);
  await sql.raw("drop index charge_key").execute(db);
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Characters that would break a naive row format. */
const HARD_TEXTS = ["", " ", "a,b", "(a)", '"', '""', 'say "yes", or\nno', "\\", '\\"', ")\n(", "null", "\u001f é 😀"];

async function* iterate<T>(pages: readonly T[]): AsyncGenerator<T> {
  yield* pages;
}

function byWalletAndNumber(first: JournalEntry, other: JournalEntry): number {
  return first.walletId === other.walletId ? first.seq - other.seq : first.walletId < other.walletId ? -1 : 1;
}

async function broken(fixture: Fixture, ...statements: string[]): Promise<string[]> {
  await tamper(fixture, ...statements);
  const { ok, violations } = await fixture.ledger.audit();
  assert.equal(ok, violations.length === 0);
  return [...new Set(violations.map(({ invariant }) => invariant))].sort();
}

forEachEngine<RailTables>(
  "the audit",
  { migrations: RAIL_MIGRATIONS, engines: ["SQLite in memory", "PostgreSQL"] },
  (open) => {
    test("finds nothing in a sound ledger, and counts what it has read", async () => {
      await using fixture = createFixture(await open());
      await lived(fixture);
      const seen: string[] = [];
      const receiptError = async ({ id }: LedgerCharge) => {
        seen.push(id);
        return null;
      };
      const report = await fixture.ledger.audit({ receiptError });
      assert.deepEqual(report, { ok: true, transfers: 14, entries: 12, receipts: 5, violations: [] });
      assert.equal(new Set(seen).size, 5);
    });

    test("finds the same violations with few accounts in memory", async () => {
      await using fixture = createFixture(await open());
      await lived(fixture);
      const report = await fixture.ledger.audit({ accountsAtOnce: 1 });
      assert.deepEqual([report.ok, report.transfers], [true, 14]);
      await fixture.database.db
        .updateTable("account")
        .set({ total_micro: 1 })
        .where("id", "=", "revenue:purchases")
        .execute();
      const { violations } = await fixture.ledger.audit({ accountsAtOnce: 1 });
      assert.deepEqual(violations.map(({ invariant }) => invariant).sort(), ["L1", "L2"]);
    });

    test("verifies entries of a sound ledger by page, in any number of parts, without reading them one by one", async () => {
      await using fixture = createFixture(await open());
      await lived(fixture);
      const oneByOne = (await Array.fromAsync(fixture.ledger.allEntries())).flat();
      await fixture.database.snapshot(async (tx) => {
        const reads = await engineOf(fixture.database).auditReads(tx);
        for (const size of [1, 5, oneByOne.length, 100]) {
          const chained = (await Array.fromAsync(chainedPages(reads.chained, size))).flat();
          assert.ok(chained.every(({ agrees }) => agrees));
          const found = chained.map(({ entry }) => entry).toSorted(byWalletAndNumber);
          assert.deepEqual(found, oneByOne, `in pages of ${size}`);
        }
        const pages = { ...auditPages(tx, reads), entries: () => assert.fail("they were read one by one") };
        for (const parts of [1, 3])
          assert.deepEqual(await auditEntries(pages, assert.fail, parts), { entries: 12, charged: 5 });
      });
    });

    test("verifies any text that operators write", async () => {
      await using fixture = createFixture(await open());
      const wallet = await fixture.openWallet("w1", 1000);
      const before = (await Array.fromAsync(fixture.ledger.allEntries())).flat().map(({ op }) => op);
      for (const reason of HARD_TEXTS)
        await fixture.ledger.adjust(wallet, { ...BY, amountMicro: 1, reason, context: fixture.context() });
      await fixture.database.snapshot(async (tx) => {
        const { chained } = await engineOf(fixture.database).auditReads(tx);
        const read = (await Array.fromAsync(chainedPages(chained))).flat();
        assert.deepEqual(
          read.map(({ entry }) => entry.op),
          [...before, ...HARD_TEXTS],
        );
      });
      assert.deepEqual((await fixture.ledger.audit()).violations, []);
    });

    test("verifies entries in another order, unless one is repeated", async () => {
      await using fixture = createFixture(await open());
      await lived(fixture);
      await fixture.database.snapshot(async (tx) => {
        const pages = auditPages(tx, await engineOf(fixture.database).auditReads(tx));
        const chained = (await Array.fromAsync(pages.chained())).flat().toReversed();
        const turned = (entries: typeof chained, read: () => AsyncIterable<[]>) => ({
          ...pages,
          chained: () => iterate([entries]),
          entries: read,
        });
        const proven = turned(chained, () => assert.fail("they were read one by one"));
        assert.deepEqual(await auditEntries(proven, assert.fail, 1), { entries: 12, charged: 5 });
        let readAgain = 0;
        const twice = turned([...chained.slice(0, 1), ...chained], () => (readAgain++, iterate<[]>([])));
        await auditEntries(twice, () => undefined, 1);
        assert.equal(readAgain, 1);
      });
    });

    test("an empty ledger is sound", async () => {
      await using fixture = createFixture(await open());
      assert.deepEqual(await fixture.ledger.audit(), {
        ok: true,
        transfers: 0,
        entries: 0,
        receipts: 0,
        violations: [],
      });
    });

    test("L1: money without a source", async () => {
      await using fixture = createFixture(await open());
      const { wallet } = await lived(fixture);
      const found = await broken(fixture, `update wallet set paid_micro = paid_micro + 1 where id = '${wallet}'`);
      assert.deepEqual(found, ["L1", "L2"]);
    });

    test("L2: a total that is not the sum of its transfers, although all totals add up to zero", async () => {
      await using fixture = createFixture(await open());
      await lived(fixture);
      const found = await broken(
        fixture,
        "update account set total_micro = total_micro + 7 where id = 'adjustments'",
        "update account set total_micro = total_micro - 7 where id = 'revenue:purchases'",
      );
      assert.deepEqual(found, ["L2"]);
    });

    test("L2: a modified, removed or inserted transfer", async () => {
      await using fixture = createFixture(await open());
      await lived(fixture);
      const changed = "update transfer set amount_micro = amount_micro + 1 where credit = 'revenue:purchases'";
      assert.deepEqual(await broken(fixture, changed), ["L2"]);
      await using second = createFixture(await open());
      await lived(second);
      assert.deepEqual(await broken(second, "delete from transfer where credit = 'revenue:purchases'"), ["L2"]);
      await using third = createFixture(await open());
      await lived(third);
      const added = "insert into transfer values ('x', 'y', 'cash:manual', 'fees:manual', 5, null, 0, null, null)";
      assert.deepEqual(await broken(third, added), ["L2"]);
    });

    test("L2: a charge that differs from its entry, and a charge without an entry", async () => {
      await using fixture = createFixture(await open());
      const { refunded } = await lived(fixture);
      assert.deepEqual(await broken(fixture, `update charge set balance_after_micro = 0 where id = '${refunded}'`), [
        "L2",
      ]);
      await using second = createFixture(await open());
      await lived(second);
      const { violations } = await second.ledger.audit();
      assert.deepEqual(violations, []);
      assert.deepEqual(await broken(second, "update entry set kind = 'adjustment' where kind = 'charge' and seq = 2"), [
        "L2",
        "L5",
        "L8",
      ]);
    });

    test("L3: a negative wallet", async () => {
      await using fixture = createFixture(await open());
      const { other } = await lived(fixture);
      const bare =
        fixture.database.engine === "sqlite"
          ? "pragma ignore_check_constraints = 1"
          : "alter table wallet drop constraint wallet_paid_micro_check";
      assert.ok(
        (await broken(fixture, bare, `update wallet set paid_micro = -1 where id = '${other}'`)).includes("L3"),
      );
    });

    test("L4: two effective charges of one key", async () => {
      await using fixture = createFixture(await open());
      const { other } = await lived(fixture);
      const found = await broken(fixture, `update charge set key_hash = '${hashOf("k")}' where wallet_id = '${other}'`);
      assert.deepEqual(found, ["L4"]);
    });

    test("L5: a void of less than the charge, a repeated void, and one without a charge", async () => {
      for (const [statement, also] of [
        [
          "update transfer set amount_micro = amount_micro - 1 where reverses is not null and amount_micro > 500",
          ["L2"],
        ],
        ["update transfer set reverses = (select min(reverses) from transfer) where reverses is not null", []],
        ["update transfer set reverses = 'nothing.paid' where reverses is not null and amount_micro = 500", []],
      ] as const) {
        await using fixture = createFixture(await open());
        await lived(fixture);
        assert.deepEqual(await broken(fixture, statement), [...also, "L5"]);
      }
    });

    test("L5: a voided charge without a reversal, and an effective charge with one", async () => {
      await using fixture = createFixture(await open());
      const { voided } = await lived(fixture);
      assert.deepEqual(await broken(fixture, `update charge set state = 'delivered' where id = '${voided}'`), ["L5"]);
      await using second = createFixture(await open());
      const { other } = await lived(second);
      assert.deepEqual(
        await broken(
          second,
          `update charge set state = 'voided' where wallet_id = '${other}' and key_hash is not null`,
        ),
        ["L5"],
      );
    });

    test("L8: a modified, removed or inserted entry", async () => {
      await using fixture = createFixture(await open());
      const { wallet } = await lived(fixture);
      assert.deepEqual(
        await broken(fixture, `update entry set op = 'score' where wallet_id = '${wallet}' and seq = 3`),
        ["L8"],
      );
      await using second = createFixture(await open());
      const gone = await lived(second);
      assert.deepEqual(await broken(second, `delete from entry where wallet_id = '${gone.wallet}' and seq = 2`), [
        "L8",
      ]);
      await using third = createFixture(await open());
      const last = await lived(third);
      const found = await broken(third, `delete from entry where wallet_id = '${last.wallet}' and kind = 'topup'`);
      assert.deepEqual(found, ["L2", "L8"]);
    });

    test("L8: an entry of a wallet that does not exist", async () => {
      await using fixture = createFixture(await open());
      await lived(fixture);
      const zeros = "0".repeat(64);
      const entry = `insert into entry values ('wal_zzz', 1, 'e', 'adjustment', 0, 0, null, null, null, null, 0, '${zeros}', null)`;
      assert.deepEqual(await broken(fixture, entry), ["L8"]);
    });

    test("reports an invalid receipt", async () => {
      await using fixture = createFixture(await open());
      const { refunded } = await lived(fixture);
      const report = await fixture.ledger.audit({
        receiptError: async ({ id }) => (id === refunded ? "forged" : null),
      });
      assert.deepEqual(report.violations, [{ invariant: "receipt", subject: refunded, message: "forged" }]);
    });

    test("the store rejects changes and removals of entries, transfers and charges", async () => {
      await using fixture = createFixture(await open());
      await lived(fixture);
      for (const statement of [
        "update entry set amount_micro = 0",
        "delete from entry",
        "update transfer set amount_micro = 1",
        "delete from transfer",
        "delete from charge",
      ])
        await assert.rejects(sql.raw(statement).execute(fixture.database.db), /never (changed|removed)/, statement);
    });
  },
);
