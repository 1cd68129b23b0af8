import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError } from "@triptych/config";
import { beginFileRotation, endFileRotation, installationSecrets } from "../src/index.ts";

interface Variables {
  readonly secret?: string;
  readonly previous?: string;
  readonly isProduction?: boolean;
}

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), "secret-"));
  const open = ({ isProduction = false, ...variables }: Variables = {}) => {
    const config = { TRIPTYCH_SECRET: variables.secret, TRIPTYCH_SECRET_PREVIOUS: variables.previous };
    return installationSecrets({ config, dataFolder: join(folder, "data"), isProduction });
  };
  const ask = async (variables?: Variables) => (await open(variables))()[0];
  return {
    folder,
    data: join(folder, "data"),
    open,
    ask,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

test("processes that start together create one key file, readable by its owner only, and reuse it", async () => {
  await using fixture = await openFolder();
  const secrets = new Set(await Promise.all(Array.from({ length: 16 }, () => fixture.ask())));
  assert.equal(secrets.size, 1);
  assert.equal(await fixture.ask(), [...secrets][0]);
  assert.deepEqual(await readdir(join(fixture.folder, "data")), ["secret-key"]);
  assert.equal((await stat(join(fixture.folder, "data", "secret-key"))).mode & 0o777, 0o600);
});

test("uses TRIPTYCH_SECRET unchanged and writes no file", async () => {
  await using fixture = await openFolder();
  const secret = "kept-as-it-is/0123456789+abcdefgh";
  assert.equal(await fixture.ask({ secret, isProduction: true }), secret);
  assert.deepEqual(await readdir(fixture.folder), []);
});

test("rejects a missing secret in production and a short secret, by variable name and never by value", async () => {
  await using fixture = await openFolder();
  await assert.rejects(
    fixture.ask({ isProduction: true }),
    (error) => error instanceof ConfigError && /TRIPTYCH_SECRET/.test(error.message),
  );
  await assert.rejects(
    fixture.ask({ secret: "hunter2" }),
    (error) => error instanceof ConfigError && !error.message.includes("hunter2"),
  );
});

test("production rejects a secret with few distinct characters or a repeated pattern, and never prints it", async () => {
  await using fixture = await openFolder();
  const guessable = ["a".repeat(32), "abcdefg".repeat(6), "abcdefghij".repeat(4), "0123456789abcdef".repeat(2)];
  for (const secret of guessable) {
    await assert.rejects(
      fixture.ask({ secret, isProduction: true }),
      (error) =>
        error instanceof ConfigError &&
        /TRIPTYCH_SECRET: too easy to guess/.test(error.message) &&
        !error.message.includes(secret),
      secret,
    );
    assert.equal(await fixture.ask({ secret }), secret, "development accepts a weak secret");
  }
  for (const secret of [randomBytes(32).toString("base64"), randomBytes(24).toString("hex")])
    assert.equal(await fixture.ask({ secret, isProduction: true }), secret);
});

test("rejects an empty key file and never replaces it, because encrypted values would be lost", async () => {
  await using fixture = await openFolder();
  await fixture.ask();
  await writeFile(join(fixture.folder, "data", "secret-key"), "");
  await assert.rejects(fixture.ask(), /does not contain a complete secret/);
});

test("a file rotation reaches a running process, and keeps the old secret until the rotation ends", async () => {
  await using fixture = await openFolder();
  const secrets = await fixture.open();
  const [old] = secrets();
  await beginFileRotation(fixture.data);
  const [current, previous] = secrets("reload");
  assert.notEqual(current, old);
  assert.equal(previous, old);
  assert.equal(secrets("reload"), secrets());
  assert.equal((await stat(join(fixture.data, "secret-key.previous"))).mode & 0o777, 0o600);

  // As after a kill between writing the two files, or a second start: the old secret must not be lost.
  await beginFileRotation(fixture.data);
  assert.deepEqual(secrets("reload"), [current, old]);
  await writeFile(join(fixture.data, "secret-key.previous"), current);
  await beginFileRotation(fixture.data);
  const [newest] = secrets("reload");
  assert.deepEqual(secrets(), [newest, current]);

  await endFileRotation(fixture.data);
  assert.deepEqual(secrets("reload"), [newest]);
  assert.deepEqual(await readdir(fixture.data), ["secret-key"]);
});

test("rejects a previous secret that is short, equal, or set alone, and never prints a value", async () => {
  await using fixture = await openFolder();
  const secret = "a secret of the tests, number 0123456789";
  for (const variables of [{ previous: secret }, { secret, previous: secret }, { secret, previous: "hunter2" }])
    await assert.rejects(
      fixture.open(variables),
      (error) =>
        error instanceof ConfigError &&
        /TRIPTYCH_SECRET_PREVIOUS: /.test(error.message) &&
        !/hunter2|0123456789/.test(error.message),
    );
  const previous = "another secret of the tests, number 0123456789";
  assert.deepEqual((await fixture.open({ secret, previous }))(), [secret, previous]);
});
