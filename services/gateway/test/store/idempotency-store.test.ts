import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { openAnswerStore } from "../../src/store/idempotency-store.ts";
import { GATEWAY_MIGRATIONS, type GatewayTables } from "../../src/store/migrations.ts";

const ANSWER = { name: "n".repeat(64), res: "r".repeat(43), sealed: "sealed", endsAt: 1000 };

const engines = ["SQLite in memory", "PostgreSQL"] as const;

forEachEngine<GatewayTables>(
  "the repository of stored responses",
  { migrations: GATEWAY_MIGRATIONS, engines },
  (open) => {
    test("finds a response of any length by its name and digest only", async () => {
      await using database = await open();
      const store = openAnswerStore(database);
      const sealed = "s".repeat(1_000_000);
      await store.keep({ ...ANSWER, sealed });
      assert.equal(await store.find(ANSWER), sealed);
      assert.equal(await store.find({ ...ANSWER, res: "x".repeat(43) }), null);
      assert.equal(await store.find({ ...ANSWER, name: "x".repeat(64) }), null);
      assert.equal(await store.writeError(), null);
    });

    test("stores the responses of several attempts of one key", async () => {
      await using database = await open();
      const store = openAnswerStore(database);
      const other = { ...ANSWER, res: "t".repeat(43), sealed: "other" };
      await Promise.all([store.keep(ANSWER), store.keep(other)]);
      assert.deepEqual([await store.find(ANSWER), await store.find(other)], ["sealed", "other"]);
    });

    test("accepts the same response again and extends its expiry", async () => {
      await using database = await open();
      const store = openAnswerStore(database);
      await store.keep(ANSWER);
      await store.keep({ ...ANSWER, sealed: "again", endsAt: 2000 });
      assert.equal(await store.removeEnded(1500, 10), 0);
      assert.equal(await store.find(ANSWER), "again");
    });

    test("removes expired responses in batches", async () => {
      await using database = await open();
      const store = openAnswerStore(database);
      const stored = Array.from({ length: 5 }, (_, index) => ({ ...ANSWER, res: `${index}`, endsAt: index * 100 }));
      for (const answer of stored) await store.keep(answer);
      assert.equal(await store.removeEnded(300, 3), 3);
      assert.equal(await store.removeEnded(300, 3), 1);
      assert.equal(await store.removeEnded(300, 3), 0);
      const left = await Promise.all(stored.map((answer) => store.find(answer)));
      assert.deepEqual(left, [null, null, null, null, "sealed"]);
    });
  },
);
