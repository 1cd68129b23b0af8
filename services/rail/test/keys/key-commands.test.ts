import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { railCommands } from "../../src/commands/index.ts";
import { start } from "../../src/service.ts";

async function openInstallation() {
  const folder = await mkdtemp(join(tmpdir(), "keys-"));
  const environment = { TRIPTYCH_DATA: folder, RAIL_PORT: "0", LOG_LEVEL: "silent", NODE_ENV: "test" };
  async function keys(words: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<string> {
    let out = "";
    const output = { write: (text: string) => (out += text), columns: 80 };
    const world = { stdin: Readable.from([]), stdout: output, stderr: { write: () => true }, fetch, user: "olivia" };
    const rail = railCommands({
      ...world,
      environment: { ...environment, ...more },
      now: () => Date.now(),
      random: randomBytes,
    });
    await rail.parseAsync(["keys", ...words], { from: "user" });
    return out;
  }
  return { environment, keys, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Rows of the table as lists of cells. */
function cells(table: string): string[][] {
  const rows = table.trimEnd().split("\n").slice(1);
  return rows.map((row) => row.split(/ {2,}/));
}

test("keys are listed, rotated once at a time, and revoked, with whole names", async () => {
  await using installation = await openInstallation();
  const { keys } = installation;
  const [[first, state]] = cells(await keys(["list"]));
  assert.match(first, /^[\w-]{43}$/);
  assert.equal(state, "active");
  const rotated = cells(await keys(["rotate", "--reason", "once a year"]));
  assert.deepEqual(
    rotated.map(([, state]) => state),
    ["next", "active"],
  );
  await assert.rejects(keys(["rotate", "--reason", "again"]), /published|24 h/);
  const revoked = cells(await keys(["revoke", first, "--reason", "it was in a log"]));
  assert.deepEqual(
    revoked.map(([kid, state]) => [kid === first, state]),
    [
      [false, "next"],
      [false, "active"],
      [true, "revoked"],
    ],
  );
  await assert.rejects(keys(["revoke", "nobody's", "--reason", "x"]), /No signing key has this id/);
});

test("a running rail publishes what a command has rotated", async () => {
  await using installation = await openInstallation();
  const rail = await start(installation.environment);
  try {
    await installation.keys(["rotate", "--reason", "once a year"]);
    const { keys }: { keys: unknown[] } = JSON.parse(await (await fetch(`${rail.url}/.well-known/jwks.json`)).text());
    assert.equal(keys.length, 2);
  } finally {
    await rail.stop();
  }
});

test("a rail whose secret was exchanged does not start, and starts again once its key is revoked", async () => {
  await using installation = await openInstallation();
  const [[kid]] = cells(await installation.keys(["list"]));
  const other = { TRIPTYCH_SECRET: "another secret of at least 32 characters" };
  await assert.rejects(start({ ...installation.environment, ...other }), /sealed under another secret/);
  await installation.keys(["revoke", kid, "--reason", "the secret is lost"], other);
  const rail = await start({ ...installation.environment, ...other });
  const revoked = await (await fetch(`${rail.url}/.well-known/revoked-keys.json`)).text();
  await rail.stop();
  assert.match(revoked, new RegExp(kid));
});
