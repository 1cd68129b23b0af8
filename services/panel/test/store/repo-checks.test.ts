import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { claimCheck, finishCheck, newCheck } from "../../src/domain/repo-checks.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/repo-settings.ts";
import type { ChangeEvent, PanelStore } from "../../src/domain/repositories.ts";
import { PANEL_MIGRATIONS, storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { accountRecord, newAccount, repoRecord } from "../support/records.ts";

const SETTINGS = { ...DEFAULT_SETTINGS, verify_cmd: "npm test" };

const pending = (repoId: string, now = 5) => newCheck({ id: repoId, settings: SETTINGS }, { id: `chk_${repoId}`, now });

async function twoAccounts(store: PanelStore): Promise<void> {
  for (const mark of ["a", "b"]) {
    await store.system.createAccount(newAccount(accountRecord(`acc_${mark}`), mark));
    await store.change(`acc_${mark}`, ({ repos }) => repos.add(repoRecord({ id: `rep_${mark}`, settings: SETTINGS })));
  }
}

forEachEngine<PanelTables>("checks of repos", { migrations: PANEL_MIGRATIONS }, (open) => {
  test("stores one check per repo in every state, visible to its account only", async () => {
    await using database = await open();
    const store = storeOn(database);
    await twoAccounts(store);
    const check = pending("rep_a");
    const running = claimCheck(check, { workerId: "wrk_1", deadline: 50 });
    const setup = { exitCode: 0, durationMs: 7 };
    const verify = { exitCode: null, durationMs: 8 };
    const failed = finishCheck(running, { setup, verify, message: "ended", isUnavailable: false }, 60);
    for (const one of [check, running, failed]) {
      await store.change("acc_a", ({ checks }) => checks.save(one));
      assert.deepEqual(await store.of("acc_a").checks.find("rep_a"), one);
      assert.deepEqual((await store.of("acc_a").repos.stats(["rep_a"], 0)).get("rep_a")?.check, one);
      assert.equal(await store.of("acc_b").checks.find("rep_a"), null);
    }
    await store.change("acc_a", ({ checks }) => checks.remove("rep_a"));
    assert.equal(await store.of("acc_a").checks.find("rep_a"), null);
  });

  test("lists pending checks of the given accounts, oldest first, and running ones beyond their deadline", async () => {
    await using database = await open();
    const store = storeOn(database);
    await twoAccounts(store);
    await store.change("acc_a", ({ checks }) => checks.save(pending("rep_a", 9)));
    await store.change("acc_b", ({ checks }) => checks.save(pending("rep_b", 8)));
    const [one, other] = [
      { owner: "acc_a", repoId: "rep_a" },
      { owner: "acc_b", repoId: "rep_b" },
    ];
    assert.deepEqual(await store.fleet.pendingChecks(["acc_a", "acc_b"], 9), [other, one]);
    assert.deepEqual(await store.fleet.pendingChecks(["acc_a"], 9), [one]);
    assert.deepEqual(await store.fleet.pendingChecks(["acc_a", "acc_b"], 1), [other]);
    const running = claimCheck(pending("rep_a"), { workerId: "wrk_1", deadline: 50 });
    await store.change("acc_a", ({ checks }) => checks.save(running));
    assert.deepEqual(await store.of("acc_a").checks.running(), [running]);
    assert.deepEqual((await store.of("acc_a").queue.view()).checking, ["wrk_1"]);
    assert.deepEqual(await store.fleet.overdueChecks(49, 9), []);
    assert.deepEqual(await store.fleet.overdueChecks(50, 9), [one]);
    assert.deepEqual(await store.fleet.pendingChecks(["acc_a", "acc_b"], 9), [other]);
  });

  test("finds the check of a token by account, repo and id together", async () => {
    await using database = await open();
    const store = storeOn(database);
    await twoAccounts(store);
    await store.change("acc_a", ({ checks }) => checks.save(pending("rep_a")));
    const scope = { owner: "acc_a", repoId: "rep_a", checkId: "chk_rep_a" };
    assert.equal((await store.system.checkOfToken(scope))?.check.id, "chk_rep_a");
    for (const other of [{ owner: "acc_b" }, { repoId: "rep_b" }, { checkId: "chk_old" }])
      assert.equal(await store.system.checkOfToken({ ...scope, ...other }), null);
  });

  test("notifies of the repo when its check changes", async () => {
    await using database = await open();
    const store = storeOn(database);
    await twoAccounts(store);
    const received = Promise.withResolvers<ChangeEvent | null>();
    const stop = await store.listen(received.resolve);
    await store.change("acc_a", ({ checks }) => checks.save(pending("rep_a")));
    const hint = await received.promise;
    await stop();
    assert.deepEqual([hint?.type, hint?.owner, hint?.id], ["repo", "acc_a", "rep_a"]);
  });
});
