import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError, installationSecret } from "../src/index.ts";

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), "secret-"));
  const ask = (more: Partial<Parameters<typeof installationSecret>[0]> = {}) =>
    installationSecret({ secret: undefined, dataFolder: join(folder, "data"), isProduction: false, ...more });
  return { folder, ask, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test("processes that start at once make one key file, readable by its owner only, and find it again", async () => {
  await using place = await openFolder();
  const secrets = new Set(await Promise.all(Array.from({ length: 16 }, () => place.ask())));
  assert.equal(secrets.size, 1);
  assert.equal(await place.ask(), [...secrets][0]);
  assert.deepEqual(await readdir(join(place.folder, "data")), ["secret-key"]);
  assert.equal((await stat(join(place.folder, "data", "secret-key"))).mode & 0o777, 0o600);
});

test("TRIPTYCH_SECRET is taken as it is, and nothing is written", async () => {
  await using place = await openFolder();
  const secret = "s".repeat(32);
  assert.equal(await place.ask({ secret, isProduction: true }), secret);
  assert.deepEqual(await readdir(place.folder), []);
});

test("production without a secret, and a short secret, are refused by name and never by value", async () => {
  await using place = await openFolder();
  await assert.rejects(
    place.ask({ isProduction: true }),
    (error) => error instanceof ConfigError && /TRIPTYCH_SECRET/.test(error.message),
  );
  await assert.rejects(
    place.ask({ secret: "hunter2" }),
    (error) => error instanceof ConfigError && !error.message.includes("hunter2"),
  );
});

test("an emptied key file is refused, never replaced: what was sealed under it would be lost", async () => {
  await using place = await openFolder();
  await place.ask();
  await writeFile(join(place.folder, "data", "secret-key"), "");
  await assert.rejects(place.ask(), /holds no whole secret/);
});
