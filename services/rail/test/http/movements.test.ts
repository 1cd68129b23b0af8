import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson } from "@triptych/contracts";
import { compactVerify, createLocalJWKSet } from "jose";
import type { JournalEntry } from "../../src/domain/entry.ts";
import type { Ledger } from "../../src/domain/ledger.ts";
import { onEachStore } from "../support/on-each-store.ts";
import type { RailFixture } from "../support/create-rail-fixture.ts";

async function jwks(fixture: RailFixture) {
  return createLocalJWKSet((await fixture.ask("/.well-known/jwks.json")).json());
}

const ENTRY: JournalEntry = {
  walletId: "w",
  id: "e",
  seq: 1,
  kind: "adjustment",
  amountMicro: 1,
  balanceAfterMicro: 1,
  chargeId: null,
  topupId: null,
  reverses: null,
  op: null,
  createdAt: 0,
  prev: "0".repeat(64),
  tokenId: null,
};

onEachStore("movements", (createRailFixture) => {
  test("pages top-ups and entries by cursor, newest first, and rejects a foreign cursor", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    for (let count = 0; count < 5; count++) {
      fixture.pass(1);
      await fixture.ask("/v1/topup", { token, body: { amount_micro: 10_000 } });
    }
    for (const [path, name] of [
      ["/v1/topups", "topup_id"],
      ["/v1/wallets/me/entries", "id"],
    ] as const) {
      const seen: string[] = [];
      let next = "";
      do {
        const page = (await fixture.ask(`${path}?limit=2${next}`, { token })).json();
        seen.push(...page.items.map((item: Record<string, string>) => item[name]));
        next = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
      } while (next !== "");
      const all = (await fixture.ask(path, { token })).json().items;
      assert.deepEqual(
        seen,
        all.map((item: Record<string, string>) => item[name]),
      );
      assert.deepEqual(seen, seen.toSorted().reverse());
      const wrong = await fixture.ask(`${path}?cursor=AAAA&limit=0`, { token });
      assert.deepEqual(
        wrong
          .json()
          .errors.map((issue: { path: string }) => issue.path)
          .sort(),
        ["?cursor", "?limit"],
      );
    }
  });

  test("filters entries by kind and time, and returns 404 for objects of another wallet", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openPaidWallet(10_000);
    const since = fixture.now() + 1000;
    fixture.pass(1000);
    const { topup_id } = (await fixture.ask("/v1/topup", { token, body: { amount_micro: 10_000 } })).json();
    const kinds = async (query: string) =>
      (await fixture.ask(`/v1/wallets/me/entries?${query}`, { token }))
        .json()
        .items.map((item: { kind: string }) => item.kind);
    assert.deepEqual(await kinds("kind=starter,adjustment"), ["adjustment", "starter"]);
    assert.deepEqual(await kinds(`since=${new Date(since).toISOString()}`), ["topup"]);
    assert.deepEqual(await kinds(`until=${new Date(since).toISOString()}`), ["adjustment", "starter"]);
    assert.equal(
      (await fixture.ask("/v1/wallets/me/entries?kind=gift&since=yesterday", { token })).json().errors.length,
      2,
    );

    const stranger = await fixture.openWallet("eve@example.org");
    await fixture.hello();
    const [{ charge_id }] = (await fixture.batch({ charges: [fixture.charge(token)] })).json().results;
    for (const [path, code] of [
      [`/v1/topups/${topup_id}`, "topup_not_found"],
      [`/v1/wallets/me/charges/${charge_id}`, "charge_not_found"],
      [`/v1/wallets/me/receipts/${charge_id}`, "receipt_not_found"],
    ] as const) {
      assert.equal((await fixture.ask(path, { token })).statusCode, 200, path);
      const hidden = await fixture.ask(path, { token: stranger.token });
      assert.deepEqual([hidden.statusCode, hidden.json().code], [404, code]);
    }
  });

  test("usage is the sum of billed charges that were not voided, by day, hour and operation", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    await fixture.hello();
    const first = fixture.charge(token);
    await fixture.batch({ charges: [first, fixture.charge(token, { op: "score" }), fixture.charge(token)] });
    await fixture.batch({ voids: [{ seq: first.seq, reason: "client_gone" }] });
    const usage = async (query: string) => (await fixture.ask(`/v1/wallets/me/usage?${query}`, { token })).json().items;
    assert.deepEqual(await usage(""), [{ bucket: "2026-11-20", decisions: 2, amount_micro: 1000 }]);
    assert.deepEqual(await usage("by=hour"), [
      { bucket: "2026-11-20T12:00:00.000Z", decisions: 2, amount_micro: 1000 },
    ]);
    assert.deepEqual(await usage("by=op"), [
      { bucket: "route", decisions: 1, amount_micro: 500 },
      { bucket: "score", decisions: 1, amount_micro: 500 },
    ]);
    assert.deepEqual(await usage("from=2026-11-01&to=2026-11-19"), []);
    for (const query of [
      "from=2026-11-02&to=2026-11-01",
      "from=2026-01-01&to=2026-11-01",
      "from=2026-02-30",
      "by=year",
    ])
      assert.equal((await fixture.ask(`/v1/wallets/me/usage?${query}`, { token })).statusCode, 400, query);
    const ninety = "from=2026-08-21&to=2026-11-20";
    assert.equal((await usage(ninety)).length, 1);
    const byHour = (await fixture.ask(`/v1/wallets/me/usage?${ninety}&by=hour`, { token })).json();
    assert.deepEqual(
      [byHour.errors[0].path, byHour.errors[0].reason, byHour.errors[0].message],
      ["?from", "too_long", "With `by=hour`, the period must not exceed 31 days, got 92."],
    );
  });

  test("a statement has an opening and a closing balance, and its signature covers its canonical form", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openPaidWallet(40_000);
    fixture.pass(12 * 86_400_000);
    await fixture.ask("/v1/topup", { token, body: { amount_micro: 10_000 } });
    const statement = async (month: string, format = "json") =>
      fixture.ask(`/v1/wallets/me/statement?month=${month}&format=${format}`, { token });
    const november = (await statement("2026-11")).json();
    const december = (await statement("2026-12")).json();
    assert.deepEqual([november.opening_micro, november.closing_micro, november.movements.length], [0, 140_000, 2]);
    assert.deepEqual([december.opening_micro, december.closing_micro], [140_000, 150_000]);
    assert.deepEqual((await statement("2027-01")).json().opening_micro, 150_000);
    assert.deepEqual((await statement("2026-10")).json().closing_micro, 0);

    const { signature, ...document } = november;
    const [header, gap, mark] = signature.split(".");
    assert.equal(gap, "");
    const whole = `${header}.${Buffer.from(canonicalJson(document)).toString("base64url")}.${mark}`;
    assert.equal((await compactVerify(whole, await jwks(fixture))).protectedHeader.typ, "rail-statement+jwt");

    const csv = await statement("2026-11", "csv");
    assert.match(String(csv.headers["content-type"]), /^text\/csv/);
    assert.equal(csv.headers["x-statement-signature"], signature);
    assert.equal(csv.body.trim().split("\r\n").length, 3);
    for (const query of ["", "?month=2026-13", "?month=2026-11&format=pdf"])
      assert.equal((await fixture.ask(`/v1/wallets/me/statement${query}`, { token })).statusCode, 400, query);
  });

  test("consecutive statements add up even if a clock was set back at the turn of the month", async () => {
    await using fixture = await createRailFixture({ startAt: Date.UTC(2026, 10, 30, 23, 59, 50) });
    const { id, token } = await fixture.openWallet();
    for (const ms of [0, 15_000, -10_000, 60_000]) {
      fixture.pass(ms);
      await fixture.pay(id, 1_000_000);
    }
    let last = 0;
    for (const [month, numbers] of [
      ["2026-10", []],
      ["2026-11", [1, 2]],
      ["2026-12", [3, 4, 5]],
      ["2027-01", []],
    ] as const) {
      const document = (await fixture.ask(`/v1/wallets/me/statement?month=${month}`, { token })).json();
      const movements: { seq: number; amount_micro: number }[] = document.movements;
      assert.deepEqual(
        movements.map(({ seq }) => seq),
        numbers,
        month,
      );
      assert.equal(document.opening_micro, last, month);
      last = movements.reduce((sum, { amount_micro }) => sum + amount_micro, last);
      assert.equal(document.closing_micro, last, month);
    }
    assert.equal(last, 4_100_000);
  });

  test("a month with too many movements for a statement gets 409 with the limit", async () => {
    const between = (ledger: Ledger): Ledger => ({
      ...ledger,
      entries: (_, { limit, before }) =>
        Promise.resolve(
          Array.from({ length: limit }, (__, index) => ({ ...ENTRY, seq: (before ?? 30_000) - 1 - index })),
        ),
    });
    await using fixture = await createRailFixture({ between });
    const { token } = await fixture.openWallet();
    const answer = await fixture.ask("/v1/wallets/me/statement?month=2026-11", { token });
    assert.deepEqual(
      [answer.statusCode, answer.json().code, answer.json().movements_max],
      [409, "statement_too_long", 20_000],
    );
  });

  test("escapes formulas in the CSV cells of a statement", async () => {
    await using fixture = await createRailFixture();
    const { id, token } = await fixture.openWallet();
    const body = { amount_micro: 10_000, operator: "op", reason: '=HYPERLINK("x","y")' };
    await fixture.asOperator(`/v1/admin/wallets/${id}/adjust`, { body });
    const { body: csv } = await fixture.ask("/v1/wallets/me/statement?month=2026-11&format=csv", { token });
    assert.match(csv, /,"'=HYPERLINK\(""x"",""y""\)",/);
  });

  test("leaves a hash in the CSV of a statement as it is, even if it begins with a hyphen", async () => {
    const entry = { ...ENTRY, prev: "f8".repeat(32) };
    const between = (ledger: Ledger): Ledger => ({ ...ledger, entries: () => Promise.resolve([entry]) });
    await using fixture = await createRailFixture({ between });
    const { token } = await fixture.openWallet();
    const { body: csv } = await fixture.ask("/v1/wallets/me/statement?month=2026-11&format=csv", { token });
    assert.match(csv, /,-[\w-]{21},\r\n$/);
  });
});
