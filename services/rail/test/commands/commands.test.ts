/** The rail's CLI, with and without a running rail. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseKey, SERVICE_FORM } from "@triptych/api-keys";
import { openDatabase } from "@triptych/storage";
import { ADMIN_FORM } from "../../src/access.ts";
import { euros, parseAmount } from "../../src/commands/refunds.ts";
import { start } from "../../src/service.ts";
import { RAIL_MIGRATIONS, RAIL_SCHEMA, railStore } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { runCommand } from "../support/run-command.ts";

const BY = ["--reason", "agreed on the phone"];

async function openFolder(more: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "triptych-rail-commands-"));
  const data = join(folder, "data");
  const environment = { TRIPTYCH_DATA: data, RAIL_PORT: "0", LOG_LEVEL: "silent", ...more };
  return {
    folder,
    data,
    environment,
    run: (...args: string[]) => runCommand(args, environment),
    /** Runs, expects success, and returns the output. */
    async good(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await runCommand(args, environment);
      assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
      return stdout;
    },
    /** Creates a wallet; returns its ID and the printed token. */
    async wallet(): Promise<{ id: string; token: string }> {
      const { stdout, stderr } = await runCommand(["wallet", "create", "--email", "ada@example.org"], environment);
      return { token: stdout.trim(), id: /wal_\w+/.exec(stderr)?.[0] ?? "" };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

for (const beside of [false, true]) {
  test(`wallets are created, shown, adjusted and frozen ${beside ? "next to a running rail" : "without a running rail"}`, async () => {
    await using fixture = await openFolder();
    const rail = beside ? await start(fixture.environment) : null;
    try {
      const { id, token } = await fixture.wallet();
      assert.match(token, /^rail_test_\w+$/);
      assert.match(
        await fixture.good("wallet", "adjust", id, "--amount", "12.50", ...BY),
        /balance 12\.60 EUR, of which 12\.50 EUR paid/,
      );
      const keyed = ["wallet", "adjust", id, "--amount", "1", "--key", "once", ...BY];
      assert.equal(await fixture.good(...keyed), await fixture.good(...keyed));
      const unconfirmed = await fixture.run("wallet", "freeze", id, ...BY);
      assert.deepEqual([unconfirmed.code, /Pass --yes/.test(unconfirmed.stderr)], [2, true]);
      assert.equal(JSON.parse(await fixture.good("wallet", "show", id, "--json")).status, "active");
      assert.match(await fixture.good("wallet", "freeze", id, "--yes", ...BY), /is frozen/);
      const output = await fixture.good("wallet", "show", id);
      assert.match(output, /status +frozen[\s\S]*a\*\*\*@example\.org[\s\S]*paid +13\.50 EUR/);
      assert.ok(!output.includes(token));
      assert.match(await fixture.good("wallet", "unfreeze", id, ...BY), /is active/);
      const low = await fixture.run("wallet", "adjust", id, "--amount", "-100", ...BY);
      assert.deepEqual([low.code, low.stdout], [1, ""]);
      assert.match(low.stderr, /never goes below zero[\s\S]*paid_micro: 13500000/);
      assert.equal((await fixture.run("wallet", "show", "wal_none")).code, 1);
      assert.match(await fixture.good("audit"), /No violations found/);
    } finally {
      await rail?.stop();
    }
  });
}

test("the operator's name defaults to the user's, and is stored in the ledger", async () => {
  await using fixture = await openFolder();
  const { id } = await fixture.wallet();
  await fixture.good("wallet", "adjust", id, "--amount", "1", ...BY);
  await fixture.good("wallet", "adjust", id, "--amount", "500micro", "--operator", "hopper", ...BY);
  const url = `sqlite:${join(fixture.data, "rail.db")}`;
  await using database = await openDatabase<RailTables>({ url, schema: RAIL_SCHEMA, migrations: RAIL_MIGRATIONS });
  const rows = await database.db
    .selectFrom("transfer")
    .selectAll()
    .where("operator", "is not", null)
    .orderBy("id")
    .execute();
  assert.deepEqual(
    rows.map(({ operator, amount_micro }) => [operator, amount_micro]),
    [
      ["grace", 1_000_000],
      ["hopper", 500],
    ],
  );
});

test("`actions` lists what operators did and why, as a table and as JSON", async () => {
  await using fixture = await openFolder();
  const { id } = await fixture.wallet();
  assert.equal((await fixture.good("actions")).trim(), "No actions.");
  await fixture.good("wallet", "adjust", id, "--amount", "12.50", ...BY);
  await fixture.good("wallet", "freeze", id, "--yes", "--operator", "hopper", ...BY);
  await fixture.good("keys", "rotate", ...BY);
  const table = await fixture.good("actions");
  assert.match(table, /grace +rotate_keys[^]*hopper +freeze +wal_\w+ +- +agreed on the phone[^]*adjust .*12\.50 EUR/);
  const list = async (...args: string[]) =>
    JSON.parse(await fixture.good("actions", "--json", ...args)).map(
      ({ action }: { readonly action: string }) => action,
    );
  assert.deepEqual(await list("--limit", "2"), ["rotate_keys", "freeze"]);
  assert.deepEqual(await list("--operator", "hopper"), ["freeze"]);
  assert.deepEqual(await list("--wallet", id, "--action", "adjust"), ["adjust"]);
  assert.equal((await fixture.run("actions", "--action", "gift")).code, 2);
});

test("a missing reason and a missing or invalid amount exit with 2 and change nothing", async () => {
  await using fixture = await openFolder();
  for (const args of [
    ["wallet", "freeze", "wal_1", "--yes"],
    ["wallet", "adjust", "wal_1", "--amount", "0", ...BY],
    ["wallet", "adjust", "wal_1", "--amount", "ten", ...BY],
    ["wallet", "adjust", "wal_1", ...BY],
    ["wallet", "freeze", "wal_1", "--yes", "--reason", " "],
    ["charge", "refund", "chg_1", ...BY],
    ["topup", "refund", "top_1", ...BY],
    ["import", "ledger.db"],
    ["topup", "list", "--limit", "1000"],
    ["topup", "list", "--status", "lost"],
    ["token", "root"],
    ["nonsense"],
  ])
    assert.equal((await fixture.run(...args)).code, 2, args.join(" "));
});

test("manual top-ups are listed in a table that fits, settled and refunded", async () => {
  await using fixture = await openFolder({
    RAIL_PROVIDER: "manual",
    NODE_ENV: "production",
    TRIPTYCH_SECRET: "a secret of the tests, number 0123456789",
  });
  const { token } = await fixture.wallet();
  assert.match(await fixture.good("topup", "list"), /No top-ups/);
  const rail = await start(fixture.environment);
  const made = await fetch(`${rail.url}/v1/topup`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Rail-Wallet": token },
    body: '{"amount_micro":5000000}',
  });
  const { topup_id: id } = JSON.parse(await made.text());
  const besides = await fixture.run("topup", "list");
  assert.equal(besides.code, 1);
  assert.match(
    besides.stderr,
    /A rail is running on this data folder/,
    "its operator's token is not written down in production",
  );
  await rail.stop();
  const table = await fixture.good("topup", "list", "--status", "pending");
  assert.match(table, /^id +status +provider +amount +created\ntop_\w+ +pending +manual +5\.00 EUR/);
  assert.ok(table.split("\n").every((line) => line.length <= 100));
  assert.match(await fixture.good("topup", "settle", id, ...BY), /is succeeded; wallet balance 5\.00 EUR/);
  const again = await fixture.run("topup", "settle", id, ...BY);
  assert.deepEqual([again.code, /topup_status: succeeded/.test(again.stderr)], [1, true]);
  assert.match(await fixture.good("topup", "refund", id, "--yes", ...BY), /is refunded/);
});

test("prints only the generated token, in its format", async () => {
  await using fixture = await openFolder();
  const admin = (await fixture.good("token", "admin")).trim();
  const { token: service, variable } = JSON.parse(await fixture.good("token", "service", "--json"));
  assert.equal(variable, "RAIL_SERVICE_TOKEN");
  assert.ok(parseKey(admin, [ADMIN_FORM]) && parseKey(service, [SERVICE_FORM]));
});

test("a backup next to a running rail and an export open elsewhere with equal totals, tokens and receipts", async () => {
  await using fixture = await openFolder();
  const rail = await start(fixture.environment);
  const { id, token } = await fixture.wallet();
  await fixture.good("wallet", "adjust", id, "--amount", "3", ...BY);
  const backup = join(fixture.folder, "backup.db");
  await fixture.good("backup", backup);
  assert.equal((await stat(backup)).mode & 0o777, 0o600);
  assert.match((await fixture.run("backup", backup)).stderr, /already exists/);
  assert.match((await fixture.run("backup", join(backup, "deeper"))).stderr, /The folder \S+ does not exist/);
  await rail.stop();
  const exported = join(fixture.folder, "export.db");
  assert.match((await fixture.run("export", exported)).stderr, /totals of all accounts are equal/);

  const secret = (await readFile(join(fixture.data, "secret-key"), "utf8")).trim();
  for (const [name, file] of [
    ["a", backup],
    ["b", exported],
  ] as const) {
    await using other = await openFolder({ TRIPTYCH_SECRET: secret });
    assert.equal((await other.run("import", "--yes", file)).code, 0, name);
    assert.match(await other.good("audit"), /No violations found/);
    assert.match(await other.good("wallet", "show", id), /paid +3\.00 EUR/);
    assert.equal(
      (await other.run("import", "--yes", file)).code,
      1,
      "a store that holds something is not written over",
    );
    const moved = await start({ ...other.environment });
    const response = await fetch(`${moved.url}/v1/wallets/me`, { headers: { "X-Rail-Wallet": token } });
    await moved.stop();
    assert.equal(response.status, 200);
  }
});

test("an audit with violations exits with 1 and prints them as a table", async () => {
  await using fixture = await openFolder();
  const { id } = await fixture.wallet();
  {
    const url = `sqlite:${join(fixture.data, "rail.db")}`;
    await using database = await openDatabase<RailTables>({ url, schema: RAIL_SCHEMA, migrations: RAIL_MIGRATIONS });
    await database.db.updateTable("wallet").set({ paid_micro: 5 }).where("id", "=", id).execute();
  }
  const { code, stdout, stderr } = await fixture.run("audit");
  assert.equal(code, 1);
  assert.match(stdout, /invariant +subject +problem\nL\d/);
  assert.match(stderr, /Ledger invariants violated: \d+/);
  const asJson = await fixture.run("audit", "--json");
  const { ok, violations, anchor } = JSON.parse(asJson.stdout);
  assert.deepEqual([asJson.code, ok, violations.length > 0, anchor], [1, false, true, null]);
});

test("store copy moves the whole store, and copies nothing from a folder without a rail", async () => {
  await using fixture = await openFolder();
  await using other = await openFolder();
  const onProgress = () => undefined;
  assert.deepEqual(await railStore.copy({ from: fixture.data, to: other.data, onProgress }), []);
  await fixture.wallet();
  const tables = await railStore.copy({ from: fixture.data, to: other.data, onProgress });
  assert.equal(tables.find(({ table }) => table === "wallet")?.rows, 1);
});

test("keys can be managed without the secret", async () => {
  await using fixture = await openFolder();
  await fixture.wallet();
  const lost = { ...fixture.environment, TRIPTYCH_SECRET: "another secret than the one before".repeat(2) };
  await assert.rejects(start(lost), /was encrypted with a different secret/);
  const kid = /^(\S{43})/m.exec((await runCommand(["keys", "list"], lost)).stdout)?.[1] ?? "";
  assert.equal((await runCommand(["keys", "revoke", "--yes", kid, ...BY], lost)).code, 0);
  const rail = await start(lost);
  await rail.stop();
});

test("parses amounts as euros with up to six decimals or as micro-euros, never as floats", () => {
  const amounts = {
    "12.50": 12_500_000,
    "-3": -3_000_000,
    "0.000001": 1,
    "500micro": 500,
    "-1micro": -1,
    "0.1": 100_000,
  };
  for (const [text, micro] of Object.entries(amounts)) assert.equal(parseAmount(text), micro);
  for (const text of ["", "1,5", "1e3", "0.0000001", "NaN", "--1", "1 EUR"])
    assert.throws(() => parseAmount(text), text);
  assert.deepEqual(
    [euros(500), euros(12_500_000), euros(-1), euros(0)],
    ["0.0005 EUR", "12.50 EUR", "-0.000001 EUR", "0.00 EUR"],
  );
});
