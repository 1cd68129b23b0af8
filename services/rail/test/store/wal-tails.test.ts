/**
 * A WAL after a power failure or on a bad disk: truncated, or with flipped bits. SQLite keeps the commits before the
 * first invalid frame, and the result must be an earlier state of the ledger.
 */
import assert from "node:assert/strict";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { seeded, type Seeded } from "@triptych/server/testing/requests";
import { openDatabase } from "@triptych/storage";
import { RAIL_MIGRATIONS, RAIL_SCHEMA } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, hashOf, createFixture, type Fixture } from "./fixture.ts";

const OPENINGS = process.env["TEST_LONG"] === undefined ? 60 : 300;
const BATCHES = 30;
/**
 * Every N-th ledger is opened like a rail does, which takes a thread, and charged once more. The others are only
 * checked.
 */
const SERVED_EVERY = 30;

const LOOKING = { readOnly: true };
const SERVING = { readOnly: false };

function openFile(file: string, { readOnly } = SERVING) {
  return openDatabase<RailTables>({
    url: `sqlite:${file}`,
    schema: RAIL_SCHEMA,
    migrations: RAIL_MIGRATIONS,
    readOnly,
  });
}

interface Written {
  /** The folder for damaged ledgers. */
  readonly file: string;
  readonly main: string;
  readonly wal: Buffer;
  /** The charges in order of creation, and their commits. */
  readonly charges: ReadonlyMap<string, number>;
}

/**
 * Makes many commits of charges, deliveries and voids, and copies the store while it is open, because closing it would
 * empty the WAL.
 */
async function writeLedger(folder: string): Promise<Written> {
  const file = join(folder, "rail.db");
  // The file contains the empty ledger, and the WAL everything else.
  await (await openFile(file)).close();
  const moved = new DatabaseSync(file);
  moved.exec("pragma wal_checkpoint(truncate)");
  moved.close();
  const main = join(folder, "main.db");
  await copyFile(file, main);
  await using fixture = createFixture(await openFile(file));
  await fixture.openWallet("w1", 1_000_000, { judgeStarter: () => "granted" });
  await fixture.greet();
  const charges = new Map<string, number>();
  for (let batch = 0; batch < BATCHES; batch++) {
    const first = batch * 3 + 1;
    const [outcomes] = await fixture.send({
      ack: { through: first - 2, also: [] },
      voids: batch % 4 === 1 ? [{ seq: first - 1, reason: "client_gone" }] : [],
      charges: [ask(first, { keyHash: hashOf(`k${batch}`), sealed: "sealed" }), ask(first + 1), ask(first + 2)],
    });
    for (const outcome of outcomes ?? []) if ("charge" in outcome) charges.set(outcome.charge.id, batch);
  }
  assert.equal(charges.size, 3 * BATCHES);
  assert.deepEqual(await readFile(file), await readFile(main), "nothing was moved into the file meanwhile");
  return { file: join(folder, "damaged.db"), main, wal: await readFile(`${file}-wal`), charges };
}

/** Truncates the WAL at any byte, flips bits anywhere, clears a range, or appends the end of an older file. */
function damage(wal: Buffer, chance: Seeded): Buffer {
  const cut = Buffer.from(wal.subarray(0, chance.below(wal.length + 1)));
  const whole = Buffer.from(wal);
  const start = chance.below(wal.length);
  switch (chance.below(4)) {
    case 0:
      return cut;
    case 1:
      for (let bits = 1 + chance.below(8); bits > 0; bits--) whole[chance.below(whole.length)] ^= 1 << chance.below(8);
      return whole;
    case 2:
      return whole.fill(0, start, start + 1 + chance.below(8192));
    default:
      return Buffer.concat([cut, wal.subarray(start)]);
  }
}

/** Checks that the charges are complete and a prefix of the history. */
async function openDamaged({ file, charges }: Written, mode: typeof LOOKING): Promise<number> {
  await using fixture = createFixture(await openFile(file, mode), { names: "1" });
  const { database, ledger } = fixture;
  const { ok, violations } = await ledger.audit();
  assert.ok(ok, JSON.stringify(violations.slice(0, 3)));
  const rows = await database.db.selectFrom("charge").select("id").execute();
  const ids = rows.map(({ id }) => id);
  assert.deepEqual(
    new Set(ids),
    new Set([...charges.keys()].slice(0, ids.length)),
    "no charge is missing before one that is there",
  );
  assert.equal(ids.length % 3, 0, "no commit is there in part");
  const responses = await database.db.selectFrom("response").select("charge_id").execute();
  assert.equal(responses.length, ids.length / 3);
  if (!mode.readOnly) await goOn(fixture);
  return ids.length;
}

/** Checks that the ledger accepts new wallets and charges and stays sound, whatever was lost. */
async function goOn(fixture: Fixture): Promise<void> {
  await fixture.openWallet("w2", 1000);
  await fixture.greet("gw-2");
  const [outcomes] = await fixture.send({ instance: "gw-2", charges: [ask(1, { walletHash: hashOf("w2") })] });
  assert.equal(outcomes?.[0]?.status, 201);
  const { ok, violations } = await fixture.ledger.audit();
  assert.ok(ok, JSON.stringify(violations.slice(0, 3)));
}

test(`${OPENINGS} torn or corrupt WALs each open as a valid prefix of the ledger`, async () => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-wal-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true }));
  const written = await writeLedger(folder);
  const chance = seeded(20_261_122);
  const counts: number[] = [];
  for (let opening = 0; opening < OPENINGS; opening++) {
    const { file } = written;
    await copyFile(written.main, file);
    await writeFile(`${file}-wal`, damage(written.wal, chance));
    counts.push(await openDamaged(written, opening % SERVED_EVERY === 0 ? SERVING : LOOKING));
    for (const end of ["", "-wal", "-shm"]) await rm(file + end, { force: true });
  }
  // The test would prove nothing if the damage always lost everything or nothing.
  const all = written.charges.size;
  assert.ok(counts.filter((count) => count > 0 && count < all).length > OPENINGS / 2);
  assert.ok(new Set(counts).size > OPENINGS / 10);
});

test("an intact WAL is kept completely, and without one nothing remains", async () => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-wal-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true }));
  const written = await writeLedger(folder);
  const { file, wal } = written;
  await copyFile(written.main, file);
  assert.equal(await openDamaged(written, LOOKING), 0);
  await writeFile(`${file}-wal`, wal);
  assert.equal(await openDamaged(written, SERVING), written.charges.size);
});
