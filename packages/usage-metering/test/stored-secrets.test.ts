import assert from "node:assert/strict";
import { test } from "node:test";
import { hashKey } from "@triptych/api-keys";
import { sql, type Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { migrations, openFixture, request, type TestTables } from "./fixture.ts";

forEachEngine<TestTables>("stored secrets", { migrations }, (open) => {
  test("no stored row contains the text of a key", async () => {
    await using fixture = await openFixture(open());
    const { key, secret } = await fixture.keys.create({ name: "planted", plan: "pro", test: false });
    const rotated = await fixture.keys.rotate(key.id, 1000);
    const meter = await fixture.meter();
    await request(meter, key, 3);
    await meter.flush();

    const rows = await everything(fixture.database);
    assert.ok(rows.includes(hashKey(secret)), "the search covers the stored rows");
    for (const text of [secret, rotated.secret]) {
      const [random = text] = text.split("_").slice(2);
      assert.ok(!rows.includes(random));
    }
  });
});

/** All rows of all metering tables, as text. */
async function everything({ db }: Database<TestTables>): Promise<string> {
  const tables = [
    "api_key",
    "api_key_secret",
    "api_key_sequence",
    "usage_row",
    "usage_day",
    "usage_closed_day",
    "invoice_line",
  ];
  const found = await Promise.all(tables.map((table) => sql`select * from ${sql.table(table)}`.execute(db)));
  return JSON.stringify(found.map(({ rows }) => rows));
}
