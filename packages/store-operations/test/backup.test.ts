/** Backup and restore of small stores. test/backup.long.test.ts has the whole product under load. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { acquireFileLock } from "@triptych/storage";
import { makeBackup } from "../src/make-backup.ts";
import { restoreBackup } from "../src/restore-backup.ts";
import * as gateway from "@triptych/gateway";
import * as rail from "@triptych/rail";

const services = [
  { name: "rail", ...rail },
  { name: "gateway", ...gateway },
];

describe("a backup", () => {
  test("is a new folder with a manifest, and restores into an empty folder", async () => {
    await using fixture = await createFixture();
    const manifest = await fixture.backUp();
    assert.deepEqual(await readdir(fixture.backup), ["gateway.db", "manifest.json", "rail.db"]);
    assert.deepEqual(
      manifest.services.map(({ name, facts }) => [name, facts]),
      [
        ["rail", { entries: 0, transfers: 0, accounts: 0 }],
        ["gateway", { responses: 0 }],
      ],
    );
    assert.equal((await stat(join(fixture.backup, "rail.db"))).mode & 0o777, 0o600);

    await mkdir(fixture.target);
    assert.match(manifest.secret_key_id ?? "", /^[0-9a-f]{10}$/);
    assert.equal((await fixture.restore()).secretKeyId, manifest.secret_key_id);
    assert.deepEqual(
      (await readdir(fixture.target)).filter((name) => name.endsWith(".db")),
      ["gateway.db", "rail.db"],
    );
    assert.deepEqual(await fixture.folders(), ["backup", "data", "target"]);
  });

  test("reports all reasons against it at once, and writes nothing", async () => {
    await using fixture = await createFixture();
    await mkdir(fixture.backup);
    await writeFile(join(fixture.backup, "a"), "");
    await rm(join(fixture.data, "rail.db"));
    await assert.rejects(fixture.backUp({ areRequired: true }), (error) => {
      assert.match(String(error), /backup is not empty/);
      assert.match(String(error), /The rail has no store/);
      return true;
    });
    assert.deepEqual(await fixture.folders(), ["backup", "data"]);
  });

  test("is refused for a damaged store", async () => {
    await using fixture = await createFixture();
    await writeFile(join(fixture.data, "gateway.db"), "not a database");
    await assert.rejects(fixture.backUp());
    assert.deepEqual(await fixture.folders(), ["data"]);
  });

  test("replaces only what a killed backup left behind, and not a backup that is being written", async () => {
    await using fixture = await createFixture();
    const partial = `${fixture.backup}.partial`;
    await mkdir(partial);
    await writeFile(join(partial, "mine"), "");
    await assert.rejects(fixture.backUp(), /not created by a backup or restore/);

    {
      await using _lock = await acquireFileLock(join(partial, "partial.lock"));
      await assert.rejects(fixture.backUp(), /Another backup or restore is writing/);
    }
    await fixture.backUp();
    assert.deepEqual(await readdir(fixture.backup), ["gateway.db", "manifest.json", "rail.db"]);
  });
});

describe("a restore", () => {
  test("reports all damaged files and a target in use at once, and writes nothing", async () => {
    await using fixture = await createFixture();
    await fixture.backUp();
    const bytes = await readFile(join(fixture.backup, "rail.db"));
    bytes[bytes.length - 1] = 1 ^ (bytes.at(-1) ?? 0);
    await writeFile(join(fixture.backup, "rail.db"), bytes);
    await rm(join(fixture.backup, "gateway.db"));
    await mkdir(fixture.target);
    await writeFile(join(fixture.target, "a"), "");
    await assert.rejects(fixture.restore(), (error) => {
      for (const issue of [/target is not empty/, /rail\.db: its content has changed/, /gateway\.db: missing/])
        assert.match(String(error), issue);
      return true;
    });
    assert.deepEqual(await readdir(fixture.target), ["a"]);
    assert.deepEqual(await fixture.folders(), ["backup", "data", "target"]);
  });

  test("rejects a manifest that is missing, damaged, or names files outside its folder", async () => {
    await using fixture = await createFixture();
    await fixture.backUp();
    const file = join(fixture.backup, "manifest.json");
    const text = await readFile(file, "utf8");
    for (const changed of [text.replace('"rail.db"', '"../data/rail.db"'), text.slice(0, -20), "{}"]) {
      await writeFile(file, changed);
      await assert.rejects(fixture.restore(), /manifest\.json is damaged/);
    }
    await rm(file);
    await assert.rejects(fixture.restore(), /not a complete backup/);
    assert.deepEqual(await fixture.folders(), ["backup", "data"]);
  });

  test("rejects stores whose rows differ from the manifest", async () => {
    await using fixture = await createFixture();
    await fixture.backUp();
    const file = join(fixture.backup, "manifest.json");
    await writeFile(file, (await readFile(file, "utf8")).replace('"entries": 0', '"entries": 7'));
    await assert.rejects(fixture.restore(), /rail: the backup had .*7.* the restored store has/);
    assert.deepEqual(await fixture.folders(), ["backup", "data"]);
  });
});

async function createFixture() {
  const root = await mkdtemp(join(tmpdir(), "triptych-backup-"));
  const [data, backup, target] = [join(root, "data"), join(root, "backup"), join(root, "target")];
  for (const service of services) await service.migrateStore({ dataFolder: data, databaseUrl: undefined });
  const common = {
    folder: backup,
    services,
    areRequired: false,
    environment: { TRIPTYCH_SECRET: "a secret of the tests, number 0123456789" },
    onStep: () => {},
  };
  return {
    data,
    backup,
    target,
    backUp: ({ areRequired = false } = {}) =>
      makeBackup({
        ...common,
        areRequired,
        from: { dataFolder: data, databaseUrl: undefined },
        copiesBlobs: false,
        program: "0.0.0",
        now: () => new Date(0),
      }),
    restore: () => restoreBackup({ ...common, to: { dataFolder: target, databaseUrl: undefined } }),
    folders: () => readdir(root),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
