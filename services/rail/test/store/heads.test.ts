import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { compareHeads } from "../../src/domain/anchor.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, createFixture } from "./fixture.ts";

forEachEngine<RailTables>("chain heads", { migrations: RAIL_MIGRATIONS }, (open) => {
  test("come in pages by wallet, and their entries are still found after the chains have grown", async () => {
    await using fixture = createFixture(await open());
    const { ledger } = fixture;
    for (let number = 1; number <= 5; number++) await fixture.openWallet(`w${number}`, 10_000);
    await fixture.openWallet("empty", 0);
    const first = await ledger.headsAfter("", 3);
    const rest = await ledger.headsAfter(first.at(-1)?.walletId ?? "", 3);
    const heads = [...first, ...rest];
    assert.deepEqual([first.length, rest.length], [3, 2]);
    await fixture.greet();
    await fixture.charge(ask(1));
    assert.deepEqual(compareHeads(heads, await ledger.entriesAt(heads)), []);
  });

  test("of another ledger are missing or different", async () => {
    await using fixture = createFixture(await open());
    const { ledger } = fixture;
    const id = await fixture.openWallet("w1", 10_000);
    const [head] = await ledger.headsAfter("", 1);
    assert.ok(head !== undefined);
    const foreign = [
      { ...head, seq: 2 },
      { ...head, hash: "0".repeat(64) },
    ];
    const messages = compareHeads(foreign, await ledger.entriesAt(foreign)).map(({ message }) => message);
    assert.deepEqual(messages, ["entry 2 is missing", "entry 1 differs from the anchor"]);
    assert.equal(head.walletId, id);
  });

  test("of recently changed wallets are checked for balance, hash and entry", async () => {
    await using fixture = createFixture(await open());
    const { ledger, database } = fixture;
    const id = await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    await fixture.charge(ask(1));
    assert.deepEqual(await ledger.recentIssues(), []);
    const wallets = await database.db.selectFrom("wallet").selectAll().execute();
    const { paid_micro, head, seq } = wallets.find((wallet) => wallet.id === id) ?? assert.fail();
    const change = (set: object) => database.db.updateTable("wallet").set(set).where("id", "=", id).execute();
    for (const [set, fault] of [
      [{ paid_micro: paid_micro + 1 }, /its last entry has/],
      [{ head: "0".repeat(64) }, /is not the hash of entry 2/],
      [{ seq: seq + 1 }, /counts 3 entries, the last entry is 2/],
      [{ seq: seq - 1 }, /counts 1 entries, the last entry is 2/],
    ] as const) {
      await change(set);
      assert.match((await ledger.recentIssues()).join(), fault);
      await change({ paid_micro, head, seq });
    }
  });
});
