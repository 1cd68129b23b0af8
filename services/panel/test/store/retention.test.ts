import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { messageOf, numbered } from "../../src/domain/bus-lines.ts";
import { expireAgedRuns, purgeExpired } from "../../src/domain/retention.ts";
import { createRun } from "../../src/domain/create-run.ts";
import { PANEL_MIGRATIONS, storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { proposal } from "../support/candidate.ts";
import { propose } from "../../src/domain/candidates/candidates.ts";
import { accountRecord, newAccount, repoRecord } from "../support/records.ts";

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;
const ACCOUNT = accountRecord("acc_a");

type Store = ReturnType<typeof storeOn>;

async function openAccount(store: Store): Promise<void> {
  await store.system.createAccount(newAccount(ACCOUNT));
}

/** A repo with a run created at `at`. */
async function addRepo(store: Store, id: string, at: number): Promise<void> {
  const repo = repoRecord({ id });
  const input = { kind: "maintain", trigger: { type: "manual", retryOf: null } } as const;
  await store.change("acc_a", async (repositories) => {
    await repositories.repos.add(repo);
    const run = await createRun(repositories, input, {
      account: ACCOUNT,
      repo,
      id: `run_${id}`,
      now: at,
      hasWorkers: true,
    });
    await propose(repositories, run, [proposal(1)], {
      newId: (prefix) => `${prefix}_${id}`,
      now: at,
      clean: (text) => text,
    });
    const about = { source: "user", status: "active", pinned: false, scope: null, hits: 0 } as const;
    const memory = { id: `mem_${id}`, repoId: id, text: "x", normalised: "x", kind: "convention", ...about } as const;
    await repositories.memories.add({ ...memory, lastUsedAt: null, createdAt: 1 });
  });
}

forEachEngine<PanelTables>("removal of expired rows", { migrations: PANEL_MIGRATIONS }, (open) => {
  test("deletes expired responses, links and sessions, and keeps the others", async () => {
    await using database = await open();
    const store = storeOn(database);
    await openAccount(store);
    await addRepo(store, "rep_1", NOW - 1);
    await store.change("acc_a", async ({ once, account }) => {
      for (const [key, expiresAt] of [
        ["over", NOW],
        ["good", NOW + 1],
      ] as const) {
        await once.keep({ key, payload: "p", answer: "a", expiresAt });
        await account.addLink({ hash: (key === "over" ? "0" : "1").repeat(64), expiresAt });
      }
      for (const [mark, createdAt, seenAt] of [
        ["2", NOW - 31 * DAY_MS, NOW],
        ["3", NOW - 8 * DAY_MS, NOW - 7 * DAY_MS],
        ["4", NOW - 29 * DAY_MS, NOW - 6 * DAY_MS],
      ] as const)
        await account.openSession({ hash: mark.repeat(64), createdAt, seenAt });
    });
    await purgeExpired(store, NOW);
    const { db } = database;
    assert.deepEqual(await db.selectFrom("idempotency").select("key").execute(), [{ key: "good" }]);
    assert.deepEqual(await db.selectFrom("sign_in_link").select("hash").execute(), [{ hash: "1".repeat(64) }]);
    assert.deepEqual(await db.selectFrom("session").select("hash").execute(), [{ hash: "4".repeat(64) }]);
    const take = (now: number) => store.system.takeLink("1".repeat(64), now);
    assert.deepEqual([await take(NOW + 1), await take(NOW), await take(NOW)], [null, ACCOUNT, null]);
  });

  test("deletes a repo completely 30 days after its removal, and no other data", async () => {
    await using database = await open();
    const store = storeOn(database);
    await openAccount(store);
    for (const id of ["rep_1", "rep_2", "rep_3"]) await addRepo(store, id, NOW - 40 * DAY_MS);
    const from = { role: "coder", agent: null, cli: null, model: null } as const;
    const item = { at: 1, from, kind: "message", text: "word", data: {}, round: null, wseq: null } as const;
    await store.change("acc_a", ({ bus }) =>
      bus.append(
        "run_rep_1",
        1,
        Array.from({ length: 4_500 }, () => item),
      ),
    );
    await store.change("acc_a", async ({ repos }) => {
      await repos.remove("rep_1", NOW - 30 * DAY_MS);
      await repos.remove("rep_2", NOW - 30 * DAY_MS + 1);
    });
    await purgeExpired(store, NOW);
    const { db } = database;
    const runs = [{ run_id: "run_rep_2" }, { run_id: "run_rep_3" }];
    for (const table of ["bus_chunk", "run_transition"] as const)
      assert.deepEqual(await db.selectFrom(table).select("run_id").distinct().orderBy("run_id").execute(), runs, table);
    for (const table of ["run", "memory", "candidate", "scout_tally"] as const)
      assert.deepEqual(
        await db.selectFrom(table).select("repo_id").distinct().orderBy("repo_id").execute(),
        [{ repo_id: "rep_2" }, { repo_id: "rep_3" }],
        table,
      );
    assert.deepEqual(await db.selectFrom("repo").select("id").orderBy("id").execute(), [
      { id: "rep_2" },
      { id: "rep_3" },
    ]);
  });

  test("expires a run that was queued for a day, with a bus message", async () => {
    await using database = await open();
    const store = storeOn(database);
    await openAccount(store);
    await addRepo(store, "rep_1", NOW - DAY_MS);
    await addRepo(store, "rep_2", NOW - DAY_MS + 1);
    await expireAgedRuns(store, NOW);
    await expireAgedRuns(store, NOW);
    const { runs, bus } = store.of("acc_a");
    const old = await runs.find("run_rep_1");
    assert.deepEqual([old?.state, old?.result?.code, old?.endedAt], ["expired", "expired", NOW]);
    assert.equal((await runs.find("run_rep_2"))?.state, "queued");
    const chunks = await bus.read("run_rep_1", { after: 0, limit: 9 });
    assert.deepEqual(
      chunks.flatMap((chunk) =>
        [...numbered("run_rep_1", chunk, { after: 0, filter: {} })].map((line) => messageOf(line).text),
      ),
      ["queued", "queued → expired (expired)"],
    );
  });
});
