import assert from "node:assert/strict";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { runCommand } from "./support/run-command.ts";

const WHY = ["--reason", "a test"];

/** A data folder with one wallet, and a file for its anchor. */
async function openInstallation() {
  const folder = await mkdtemp(join(tmpdir(), "anchor-"));
  const data = join(folder, "data");
  const anchor = join(folder, "anchor.jsonl");
  const run = (...words: readonly string[]) => runCommand(words, { TRIPTYCH_DATA: data, LOG_LEVEL: "silent" });
  const created = await run("wallet", "create", "--email", "ada@example.org");
  const wallet = /wal_\w+/.exec(created.stderr)?.[0] ?? "";
  return {
    folder,
    anchor,
    wallet,
    store: join(data, "rail.db"),
    run,
    audit: (...more: readonly string[]) => run("audit", "--anchor", anchor, ...more),
    move: () => run("wallet", "adjust", wallet, "--amount", "5", ...WHY),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

test("writes a missing anchor, and matches it with a grown ledger", async () => {
  await using installation = await openInstallation();
  const { audit, move, anchor } = installation;
  const written = await audit();
  assert.deepEqual([written.code, /1 chain heads written/.test(written.stdout)], [0, true], written.stderr);
  const first = await readFile(anchor, "utf8");
  assert.equal((await move()).code, 0);
  const checked = await audit();
  assert.deepEqual([checked.code, /matches .* 1 wallets/.test(checked.stdout)], [0, true], checked.stderr);
  assert.equal(await readFile(anchor, "utf8"), first, "comparing changes nothing");
  assert.equal((await audit("--write")).code, 0);
  assert.notEqual(await readFile(anchor, "utf8"), first);
});

test("detects a ledger rolled back to an older copy, names its wallet, and leaves the anchor unchanged", async () => {
  await using installation = await openInstallation();
  const { audit, move, anchor, wallet, store, folder } = installation;
  const older = join(folder, "older.db");
  await copyFile(store, older);
  await move();
  await audit();
  const evidence = await readFile(anchor, "utf8");
  await copyFile(older, store);
  assert.equal((await installation.run("audit")).code, 0, "nothing inside the ledger tells");
  for (const more of [[], ["--write"]]) {
    const found = await audit(...more);
    assert.equal(found.code, 1);
    assert.ok(found.stdout.includes(wallet) && /entry 2 is missing/.test(found.stdout), found.stdout);
  }
  await move();
  const forked = await audit();
  assert.equal(forked.code, 1);
  assert.match(forked.stdout, /entry 2 differs from the anchor/);
  assert.equal(await readFile(anchor, "utf8"), evidence);
});

test("rejects an anchor that was modified, truncated, or signed by another rail", async () => {
  await using installation = await openInstallation();
  await using other = await openInstallation();
  const { audit, anchor } = installation;
  await audit();
  const good = await readFile(anchor, "utf8");
  const { page, heads } = JSON.parse(good);
  const [header, payload, signature] = page.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const signed = (more: object) =>
    [header, Buffer.from(JSON.stringify({ ...claims, ...more })).toString("base64url"), signature].join(".");
  await other.audit();
  const forgeries: readonly (readonly [string, RegExp])[] = [
    [JSON.stringify({ page, heads: [heads[0].replace(" 1 ", " 2 ")] }), /differ from the signed ones/],
    [JSON.stringify({ page, heads: [] }), /differ from the signed ones/],
    [JSON.stringify({ page: signed({ next: "wal_x" }), heads }), /invalid signature/],
    [JSON.stringify({ page: `${header}.${payload}.`, heads }), /invalid signature/],
    [await readFile(other.anchor, "utf8"), /is not published/],
    ["", /truncated/],
    ["not an anchor", /Invalid anchor/],
    [good + good, /does not continue/],
  ];
  for (const [text, reason] of forgeries) {
    await writeFile(anchor, text);
    const refused = await audit();
    assert.equal(refused.code, 1, text);
    assert.match(refused.stderr, reason);
  }
});

test("compares a damaged ledger too, and writes no anchor for it", async () => {
  await using installation = await openInstallation();
  const { audit, store, anchor } = installation;
  await audit();
  const database = new DatabaseSync(store);
  database.exec("update wallet set paid_micro = paid_micro + 1");
  database.close();
  const compared = await audit();
  assert.equal(compared.code, 1);
  assert.match(compared.stdout, /L2 [^]*matches/);
  await rm(anchor);
  assert.equal((await audit()).code, 1);
  await assert.rejects(readFile(anchor), { code: "ENOENT" });
});

test("verifies an anchor with a retired key and with saved keys", async () => {
  await using installation = await openInstallation();
  const { audit, run, folder } = installation;
  await audit();
  const [, kid = ""] = /^([\w-]{43}) /m.exec((await run("keys", "list")).stdout) ?? [];
  const jwks = join(folder, "jwks.json");
  await writeFile(jwks, JSON.stringify({ keys: [] }));
  assert.match((await audit("--jwks", jwks)).stderr, /is not published/);
  await run("keys", "revoke", "--yes", kid, ...WHY, "--not-after", new Date(Date.now() + 3_600_000).toISOString());
  assert.equal((await audit()).code, 0, "a key that was revoked later signed this before");
  assert.equal((await run("audit", "--write")).code, 2);
});
