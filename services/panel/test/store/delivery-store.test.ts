import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { fileBlobs } from "../../src/blobs/file-blobs.ts";
import type { Blobs } from "../../src/domain/delivery-repositories.ts";
import { firstContact } from "../../src/domain/reachability-checks.ts";
import { claimEffect, newEffect, renewEffect, EFFECT_LEASE_MS } from "../../src/domain/effects.ts";
import { createRun, transitionRun } from "../../src/domain/create-run.ts";
import type { PanelStore } from "../../src/domain/repositories.ts";
import { PANEL_MIGRATIONS, storeOn } from "../../src/store/open-store.ts";
import { tableBlobs } from "../../src/store/table-blobs.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { accountRecord, newAccount, repoRecord } from "../support/records.ts";

const ACCOUNT = accountRecord("acc_a", "team");
const REPO = repoRecord({ credentialKind: "token", sealedCredential: "sealed" });

/** An account with a repo and a run that has just started to push. */
async function pushingRun(store: PanelStore, id = "run_1") {
  await store.system.createAccount(newAccount(ACCOUNT));
  const input = { kind: "maintain", isParallel: true, trigger: { type: "manual", retryOf: null } } as const;
  return store.change("acc_a", async (repositories) => {
    if ((await repositories.repos.find("rep_1")) === null) await repositories.repos.add(REPO);
    let run = await createRun(repositories, input, { account: ACCOUNT, repo: REPO, id, now: 5, hasWorkers: true });
    for (const event of ["leased", "accepted", "ready", "agent_ended"] as const)
      run = await transitionRun(repositories, run, event, { at: 6 });
    const diff = { files: 1, insertions: 1, deletions: 1, patch_id: "p" };
    return transitionRun(repositories, run, "passed", { at: 7, facts: { diff } });
  });
}

forEachEngine<PanelTables>("the delivery repository", { migrations: PANEL_MIGRATIONS }, (open) => {
  test("stores one statement per run, which never changes and belongs to one account", async () => {
    await using database = await open();
    const store = storeOn(database);
    await pushingRun(store);
    const add = (envelope: string) =>
      store.change("acc_a", ({ statements }) => statements.add({ runId: "run_1", envelope, at: 8 }));
    assert.equal(await store.of("acc_a").statements.find("run_1"), null);
    await add("first");
    await add("second");
    assert.equal(await store.of("acc_a").statements.find("run_1"), "first");
    assert.equal(await store.of("acc_b").statements.find("run_1"), null);
  });

  test("adds a signing key only while the stored keys are the expected ones", async () => {
    await using database = await open();
    const { signingKeys } = storeOn(database);
    const key = (kid: string) => {
      return { kid, x: "x", sealed: "s", createdAt: 1, activeFrom: 2, retiredAt: null, notAfter: null };
    };
    const added = await Promise.all(["one", "two"].map((kid) => signingKeys.addSigningKey(key(kid), [])));
    assert.equal(added.filter(Boolean).length, 1);
    const [stored] = await signingKeys.signingKeys();
    assert.deepEqual(stored, key(stored?.kid ?? ""));
    assert.equal(await signingKeys.addSigningKey(key("three"), [stored?.kid ?? ""]), true);
    assert.equal((await signingKeys.signingKeys()).length, 2);
    await signingKeys.note({ id: "aud_1", what: "signing_key_rotated", at: 3 });
  });

  test("writes an effect in the commit of its state, and leases it to one process", async () => {
    await using database = await open();
    const store = storeOn(database);
    const run = await pushingRun(store);
    assert.deepEqual(await store.system.dueEffects(6, 9), []);
    assert.deepEqual(await store.system.dueEffects(7, 9), [{ owner: "acc_a", runId: "run_1", kind: "push" }]);
    const claim = (by: string, now: number) =>
      store.change("acc_a", (repositories) =>
        claimEffect(repositories, { runId: "run_1", kind: "push", by, now, isManual: false }),
      );
    const claimed = await Promise.all(["one", "two"].map((by) => claim(by, 10)));
    assert.equal(claimed.filter((effect) => effect !== null).length, 1);
    const [holder = ""] = claimed.flatMap((effect) => effect?.leasedBy ?? []);
    assert.deepEqual(await store.system.dueEffects(10, 9), []);
    const renew = (by: string) =>
      store.change("acc_a", (repositories) => renewEffect(repositories, { runId: "run_1", kind: "push", by, now: 20 }));
    assert.deepEqual([await renew(holder), await renew("nobody")], [true, false]);
    const over = 20 + EFFECT_LEASE_MS;
    assert.equal((await claim("third", over))?.attempts, 2);
    assert.equal(await renew(holder), false);
    const pushed = await store.change("acc_a", (repositories) =>
      transitionRun(repositories, run, "push_confirmed", { at: over }),
    );
    const effect = await store.of("acc_a").effects.find("run_1", "pr");
    assert.deepEqual(effect, newEffect(pushed, "pr", over));
    assert.equal(effect?.patchId, "p");
  });

  test("shortens effect leases on a start without other nodes, and changes nothing else", async () => {
    await using database = await open();
    const store = storeOn(database);
    for (const id of ["run_1", "run_2"]) await pushingRun(store, id);
    const claim = { runId: "run_1", kind: "push", by: "dead", now: 10, isManual: false } as const;
    await store.change("acc_a", (repositories) => claimEffect(repositories, claim));
    const untouched = await store.of("acc_a").effects.find("run_2", "push");
    await store.system.cutEffectLeases(12);
    assert.deepEqual(await store.of("acc_a").effects.find("run_2", "push"), untouched);
    const again = { ...claim, by: "living" };
    assert.equal(await store.change("acc_a", (repositories) => claimEffect(repositories, { ...again, now: 11 })), null);
    assert.equal(
      (await store.change("acc_a", (repositories) => claimEffect(repositories, { ...again, now: 12 })))?.leasedBy,
      "living",
    );
  });

  test("never claims the pull requests of two runs with one change together", async () => {
    await using database = await open();
    const store = storeOn(database);
    for (const id of ["run_1", "run_2"]) {
      const run = await pushingRun(store, id);
      await store.change("acc_a", (repositories) => transitionRun(repositories, run, "push_confirmed", { at: 8 }));
    }
    const claim = (runId: string) =>
      store.change("acc_a", (repositories) =>
        claimEffect(repositories, { runId, kind: "pr", by: "one", now: 10, isManual: true }),
      );
    assert.notEqual(await claim("run_1"), null);
    assert.equal(await claim("run_2"), null);
  });

  test("fences uploads by epoch and run, and deletes them long after", async () => {
    await using database = await open();
    const store = storeOn(database);
    const run = await pushingRun(store);
    const [bundle, artifact, diff, cleaned, dirty] = ["b", "c", "d", "f", "0"].map((mark) => mark.repeat(64));
    await store.change("acc_a", async ({ uploads }) => {
      await uploads.keepDelivery({ runId: "run_1", epoch: 1, sha256: bundle ?? "", bytes: 3, at: 1 });
      await uploads.keepDiff({ runId: "run_1", epoch: 1, sha256: bundle ?? "", diffSha256: diff ?? "" });
      for (let twice = 0; twice < 2; twice++)
        for (const [sha256 = "", storedSha256 = ""] of [
          [artifact, artifact],
          [dirty, cleaned],
        ])
          await uploads.keepArtifact({ runId: "run_1", sha256, storedSha256, bytes: 4, at: 1 });
    });
    const { uploads } = store.of("acc_a");
    assert.deepEqual(await uploads.delivery("run_1", 1), { sha256: bundle, bytes: 3, diffSha256: diff });
    assert.deepEqual(
      [await uploads.delivery("run_1", 2), await store.of("acc_b").uploads.delivery("run_1", 1)],
      [null, null],
    );
    assert.deepEqual(await uploads.artifactsOf("run_1"), { count: 2, bytes: 8 });
    assert.deepEqual(await uploads.artifact("run_1", dirty ?? ""), { sha256: dirty, bytes: 4, storedSha256: cleaned });
    assert.equal(await store.system.needsBlob(dirty ?? ""), false);
    for (const sha256 of [bundle, artifact, diff, cleaned])
      assert.equal(await store.system.needsBlob(sha256 ?? ""), true);
    assert.equal(await store.system.needsBlob("e".repeat(64)), false);
    assert.equal(await store.system.forgetUploads(100, 9), 0);
    const result = { code: "push_refused", message: "" } as const;
    await store.change("acc_a", (repositories) => transitionRun(repositories, run, "push_refused", { at: 50, result }));
    assert.equal(await store.system.forgetUploads(100, 9), 3);
    assert.equal(await store.system.needsBlob(bundle ?? ""), false);

    const resting = await pushingRun(store, "run_2");
    await store.change("acc_a", async (repositories) => {
      await repositories.uploads.keepDelivery({ runId: "run_2", epoch: 1, sha256: bundle ?? "", bytes: 3, at: 1 });
      await transitionRun(repositories, resting, "push_confirmed", { at: 50, pushedAt: 50 });
    });
    assert.equal(await store.system.forgetUploads(50, 9), 0);
    assert.equal(await store.system.forgetUploads(100, 9), 1, "one that rests in pushed never ends");
  });

  test("returns a contact once it is due, and stores its result", async () => {
    await using database = await open();
    const store = storeOn(database);
    await pushingRun(store);
    const contact = firstContact("rep_1", 10, { detectsVerify: true, detectsSetup: true });
    await store.change("acc_a", ({ contacts }) => contacts.save(contact));
    assert.deepEqual(await store.system.dueContacts(9, 9), []);
    assert.deepEqual(await store.system.dueContacts(10, 9), [{ owner: "acc_a", repoId: "rep_1" }]);
    const seen = {
      ...contact,
      nextAt: null,
      checkedAt: 11,
      canPush: true,
      canOpenPr: false,
      detectsVerify: false,
      detected: ["setup_cmd"],
      hosts: ["npm.acme.example"],
    } as const;
    await store.change("acc_a", ({ contacts }) => contacts.save(seen));
    assert.deepEqual(await store.of("acc_a").contacts.find("rep_1"), seen);
    assert.deepEqual(await store.system.dueContacts(99, 9), []);
    const stats = (await store.of("acc_a").repos.stats(["rep_1"], 0)).get("rep_1");
    const { detected, hosts } = seen;
    assert.deepEqual(stats?.contact, { checkedAt: 11, canPush: true, canOpenPr: false, detected, hosts });
  });

  test("keeps the credential of a removed repo only for a push, and finds it for nothing else", async () => {
    await using database = await open();
    const store = storeOn(database);
    await pushingRun(store);
    await store.change("acc_a", ({ repos }) => repos.remove("rep_1", 9, { keepsCredential: true }));
    const { repos } = store.of("acc_a");
    const stored = await repos.findForPush("rep_1");
    assert.deepEqual([await repos.find("rep_1"), stored?.sealedCredential, stored?.isRemoved], [null, "sealed", true]);
    await store.change("acc_a", (repositories) => repositories.repos.destroyCredential("rep_1"));
    assert.equal((await repos.findForPush("rep_1"))?.sealedCredential, null);
  });

  test("reads blobs in the database unchanged, and deletes unreferenced ones", async () => {
    await using database = await open();
    await keepsBlobs(tableBlobs(database, () => 1_000));
  });
});

test("reads blobs in a folder unchanged, and deletes unreferenced ones", async () => {
  const folder = mkdtempSync(join(tmpdir(), "blobs-"));
  try {
    await keepsBlobs(await fileBlobs(join(folder, "blobs")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function keepsBlobs(blobs: Blobs): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sent-"));
  try {
    for (const size of [0, 1024 * 1024, 1024 * 1024 + 17]) {
      const bytes = randomBytes(size);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      for (let twice = 0; twice < 2; twice++) {
        writeFileSync(join(folder, "sent"), bytes);
        await blobs.keep(join(folder, "sent"), sha256);
      }
      const read = await blobs.read(sha256);
      assert.ok(read !== null && bytes.equals(await buffer(read)));
      assert.ok(bytes.equals((await blobs.withFile(sha256, (path) => readFile(path))) ?? Buffer.from("none")));
      assert.equal(await blobs.sweep(0, async () => false), 0);
      assert.equal(await blobs.sweep(Number.MAX_SAFE_INTEGER, async () => true), 0);
      assert.equal(await blobs.sweep(Number.MAX_SAFE_INTEGER, async () => false), 1);
      assert.deepEqual(
        [await blobs.read(sha256), await blobs.withFile(sha256, (path) => readFile(path))],
        [null, null],
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
