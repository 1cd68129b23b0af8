import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createKeys, openKeyStore } from "@triptych/api-keys";
import { createSlidingWindow } from "@triptych/rate-limit";
import { createBillingLedger, dayOf, openEmbeddedMeter } from "@triptych/usage-metering";
import { copyDirectory } from "../../src/store/open-store.ts";
import { KEY_FORMS, meteredPlans } from "../../src/store/access.ts";
import { openStore } from "../../src/store/open-store.ts";

const plans = meteredPlans('[{"up_to":null,"price_micro":100}]');
const clock = () => Date.now();

test("completes the sums when copying the folder of a killed process", async () => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-copy-"));
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  try {
    const keyId = await useAndBreakOff(from);
    await copyDirectory({ from, to, onProgress: () => undefined });
    await using copied = await open(to);
    const ledger = createBillingLedger({ database: copied.database, service: "directory", clock, random: randomBytes });
    const today = dayOf(clock());
    const [day] = await ledger.usage(keyId, dayOf(clock() - 86_400_000), today);
    assert.deepEqual([day?.requests, day?.items, day?.amountMicro], [1, 20, 2000]);
    assert.deepEqual(await ledger.verify("2000-01-01", today), []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("copies nothing from a folder without a store, and creates none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-copy-"));
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  try {
    assert.deepEqual(await copyDirectory({ from, to, onProgress: () => undefined }), []);
    assert.deepEqual(await readdir(folder), []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Stores one request without closing its meter; returns its key. */
async function useAndBreakOff(dataFolder: string): Promise<string> {
  await using opened = await open(dataFolder);
  const { database } = opened;
  const shared = { plans, clock, random: randomBytes };
  const keys = createKeys({ store: openKeyStore(database), forms: KEY_FORMS, ...shared });
  const { key } = await keys.create({ name: "moving", plan: "pro", test: false });
  const onError = (error: unknown): never => {
    throw error;
  };
  const meter = await openEmbeddedMeter({ database, window: createSlidingWindow(), onError, ...shared });
  const admission = await meter.admit(key, 20);
  assert.ok(admission.verdict === "accepted");
  const outcome = { requestId: "r", route: "/api/items", status: 200, items: 20, bytes: 1, geo: false };
  await meter.settle(admission.reservation, outcome);
  await meter.flush();
  return key.id;
}

function open(dataFolder: string) {
  const config = {
    TRIPTYCH_DATA: dataFolder,
    DATABASE_URL: undefined,
    DIRECTORY_ENGINE: "memory",
    DIRECTORY_INDEX_BYTES: undefined,
    DIRECTORY_ITEM_CACHE_BYTES: undefined,
  } as const;
  return openStore(config, { report: () => undefined, now: clock });
}
