import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { StoreLocation } from "@triptych/storage";
import { startPostgres, withoutPostgres } from "@triptych/storage/testing";
import { copyPanel } from "../../src/store/copy-panel.ts";
import { panelStore } from "../../src/store/open-store.ts";
import { openWithBlobs } from "../../src/store/store-location.ts";
import { accountRecord, newAccount } from "../support/records.ts";

const OUTPUT = "the output of a check\n";
const NAME = createHash("sha256").update(OUTPUT).digest("hex");
const OTHER = "0".repeat(64);

async function open(location: StoreLocation) {
  return openWithBlobs(location, { blobs: null, now: () => 1 });
}

const skip = withoutPostgres();

test("moves the deliveries of runs together with their rows, to PostgreSQL and back", { skip }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "panel-copy-"));
  const server = await startPostgres({ durable: false });
  const url = await server.createDatabase();
  const [data, back] = [join(folder, "data"), join(folder, "back")];
  try {
    await mkdir(data, { recursive: true });
    const first = await open({ dataFolder: data, databaseUrl: undefined });
    const passing = join(folder, "passing");
    await writeFile(passing, OUTPUT);
    await first.blobs.keep(passing, NAME);
    await first.store.system.createAccount(newAccount(accountRecord("acc_a")));
    await first.store.change("acc_a", ({ uploads }) =>
      uploads.keepArtifact({ runId: "run_1", sha256: OTHER, storedSha256: NAME, bytes: OUTPUT.length, at: 1 }),
    );
    await first.store[Symbol.asyncDispose]();

    const onProgress = () => {};
    const there = await copyPanel({ from: data, to: url, onProgress });
    assert.deepEqual(there.at(-1), { table: "blob", rows: 1 });
    await assert.rejects(copyPanel({ from: data, to: url, onProgress }), /not empty/);
    await copyPanel({ from: url, to: back, onProgress });
    for (const location of [
      { dataFolder: folder, databaseUrl: url },
      { dataFolder: back, databaseUrl: undefined },
    ]) {
      const { store, blobs } = await open(location);
      const artifact = await store.of("acc_a").uploads.artifact("run_1", OTHER);
      const body = await blobs.read(artifact?.storedSha256 ?? "");
      assert.equal(body === null ? null : await text(body), OUTPUT);
      await store[Symbol.asyncDispose]();
    }
    assert.deepEqual((await readdir(join(back, "panel"))).toSorted(), ["blobs"]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("refuses to copy the folder of a running panel", async () => {
  const folder = await mkdtemp(join(tmpdir(), "panel-copy-"));
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  const location = { dataFolder: from, databaseUrl: undefined };
  try {
    await using running = new AsyncDisposableStack();
    running.use(await panelStore.lock(location));
    running.use((await open(location)).store);

    await assert.rejects(copyPanel({ from, to, onProgress: () => undefined }), { name: "FileLockHeldError" });
    await assert.rejects(readdir(to), { code: "ENOENT" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
