import assert from "node:assert/strict";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createLogger } from "@triptych/server";
import { checkLedger } from "../src/check-ledger.ts";
import { createIntegrity } from "../src/domain/integrity.ts";
import { start } from "../src/service.ts";
import { openStore } from "../src/store/open-store.ts";
import { runCommand } from "./support/run-command.ts";

const WHY = ["--reason", "a test"];

/** A data folder with a wallet of several entries. */
async function openInstallation() {
  const folder = await mkdtemp(join(tmpdir(), "check-"));
  const environment = { TRIPTYCH_DATA: folder, RAIL_PORT: "0", LOG_LEVEL: "silent" };
  const run = (...words: readonly string[]) => runCommand(words, environment);
  const created = await run("wallet", "create", "--email", "ada@example.org");
  const wallet = /wal_\w+/.exec(created.stderr)?.[0] ?? "";
  for (let number = 0; number < 4; number++) await run("wallet", "adjust", wallet, "--amount", "1", ...WHY);
  const file = join(folder, "rail.db");
  return { folder, environment, wallet, file, run, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Simulates an attacker who can write to the file and knows its format. */
function change(file: string, script: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec(`drop trigger entry_keeps; ${script}`);
  } finally {
    database.close();
  }
}

async function check(folder: string) {
  const place = { dataFolder: folder, databaseUrl: undefined };
  const integrity = createIntegrity();
  const logger = createLogger({ service: "rail", level: "silent" });
  await using store = await openStore(place);
  const checking = await checkLedger({ place, ledger: store.ledger, integrity, logger });
  const atStart = integrity.state();
  await checking.continue(0);
  await checking.stop();
  return { atStart, afterwards: integrity.state(), issue: integrity.issue() };
}

test("a sound ledger is in state checking at start, and sound after the full check", async () => {
  await using installation = await openInstallation();
  assert.deepEqual(await check(installation.folder), { atStart: "checking", afterwards: "sound", issue: null });
});

test("the full check finds a modified entry within a chain", async () => {
  await using installation = await openInstallation();
  change(installation.file, "update entry set created_at = created_at + 1 where seq = 2");
  const { atStart, afterwards, issue } = await check(installation.folder);
  assert.deepEqual([atStart, afterwards], ["checking", "damaged"]);
  assert.match(issue ?? "", /^L8 .*does not contain the hash/);
});

test("finds a modified balance before the rail listens", async () => {
  await using installation = await openInstallation();
  change(installation.file, "update wallet set paid_micro = paid_micro + 1");
  const { atStart, issue } = await check(installation.folder);
  assert.deepEqual([atStart, /its last entry has/.test(issue ?? "")], ["damaged", true]);
});

test("a rail with a corrupt file is not ready, reports it, moves no money, and remains readable", async () => {
  await using installation = await openInstallation();
  const { file, environment, wallet } = installation;
  await flipRows(file);
  const rail = await start(environment);
  try {
    const ready = await fetch(`${rail.url}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /ledger is damaged and read-only/);
    const credentials = JSON.parse(await readFile(join(installation.folder, "credentials.json"), "utf8")).rail;
    const topUp = await fetch(`${rail.url}/v1/wallets`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "eve@example.org" }),
    });
    assert.equal(topUp.status, 503);
    const hello = await fetch(`${rail.url}/internal/v1/instances`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${credentials.service_token}` },
      body: JSON.stringify({ instance: "gw-1", boot: "b-1" }),
    });
    assert.equal(hello.status, 503);
    assert.match(await (await fetch(`${rail.url}/metrics`)).text(), /rail_ledger_damaged(\{.*\})? 1/);
    assert.equal((await installation.run("wallet", "show", wallet)).code, 0, "for the operator");
  } finally {
    await rail.stop();
  }
});

/** Corrupts the cell count of the entries' page, so that rows overlap or are lost. */
async function flipRows(file: string): Promise<void> {
  const database = new DatabaseSync(file);
  database.exec("pragma wal_checkpoint(truncate)");
  const root = database.prepare("select rootpage from sqlite_schema where name = 'entry'").get()?.["rootpage"];
  const size = database.prepare("pragma page_size").get()?.["page_size"];
  database.close();
  await using handle = await open(file, "r+");
  const cellCount = (Number(root) - 1) * Number(size) + 4;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, cellCount);
  await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 0x01]), 0, 1, cellCount);
}
