/** Rotates the secret of the installation on the store of a rail. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createSeal, deriveKey, keyIdOf } from "@triptych/encryption";
import { openDatabase, type StoreLocation } from "@triptych/storage";
import { randomBytes } from "node:crypto";
import { rotateStore, sealedValues } from "../../src/commands/rotate-secret.ts";
import { KEY_PURPOSE } from "../../src/domain/signing-keys.ts";
import { railStore, RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { createRailFixture } from "../support/create-rail-fixture.ts";

const [OLD, NEW] = ["the first secret of this installation", "the second secret of this installation"];

test("encrypts keys and addresses again beside a running rail, and keeps names, receipts and starter credit", async () => {
  await using folder = await createFolder();
  const secrets = { list: [OLD] as [string, ...string[]] };
  const read = () => secrets.list;
  const open = () => openDatabase<RailTables>({ ...railStore.addressOf(folder.location), migrations: RAIL_MIGRATIONS });
  {
    await using fixture = await createRailFixture({ mode: "live", mail: true, secret: read, open });
    const wallet = await fixture.openWallet();
    await withoutKeyId(fixture.database, OLD);
    const lookup = fixture.rail.emails.lookup("ada@example.org");

    secrets.list = [NEW, OLD];
    const { failed } = await rotateStore(folder.location, read);
    assert.equal(failed, 0);
    const record = await fixture.ledger.wallet(wallet.id);
    assert.equal(fixture.rail.emails.masked(record?.emailSealed ?? new Uint8Array(), wallet.id), "a***@example.org");
    for (const { kind, total, byKey } of await sealedValues(folder.location, read))
      assert.equal(byKey[keyIdOf(NEW)], total, kind);
    assert.equal(fixture.rail.emails.lookup("ada@example.org"), lookup);
    assert.equal(await rotateStore(folder.location, read).then(({ changed }) => changed), 0);
  }
  secrets.list = [NEW];
  await using fixture = await createRailFixture({ mode: "live", mail: true, secret: read, open });
  await fixture.rail.keys.check();
  const [found] = await fixture.ledger.walletsOfEmail(fixture.rail.emails.lookup("ada@example.org"), 5);
  assert.equal(
    found && fixture.rail.emails.masked(found.emailSealed ?? new Uint8Array(), found.id),
    "a***@example.org",
  );
});

test("leaves values of a lost secret as they are, and counts them", async () => {
  await using folder = await createFolder();
  const open = () => openDatabase<RailTables>({ ...railStore.addressOf(folder.location), migrations: RAIL_MIGRATIONS });
  {
    await using fixture = await createRailFixture({ secret: OLD, open });
    await fixture.openWallet();
  }
  assert.deepEqual(await rotateStore(folder.location, () => [NEW]), { changed: 0, failed: 3 });
  await using fixture = await createRailFixture({ secret: OLD, open });
  await fixture.rail.keys.check();
});

/** A signing key as version 0.1 stored it. */
async function withoutKeyId({ db }: Awaited<ReturnType<typeof createRailFixture>>["database"], secret: string) {
  const { kid, sealed } = await db.selectFrom("signing_key").select(["kid", "sealed"]).executeTakeFirstOrThrow();
  assert.ok(sealed.startsWith("v2."));
  const plain = createSeal(deriveKey(secret, KEY_PURPOSE), randomBytes).open(
    `v1.${sealed.split(".").slice(2).join(".")}`,
    kid,
  );
  const old = createSeal(deriveKey(secret, KEY_PURPOSE), randomBytes).seal(plain, kid);
  await db.updateTable("signing_key").set({ sealed: old }).where("kid", "=", kid).execute();
}

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), "rail-rotation-"));
  const location: StoreLocation = { dataFolder: path, databaseUrl: undefined };
  return { location, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
