/**
 * A process that meters at full speed until it is killed. It records served items before settling, so the parent's
 * count is never too low. Prints one line at start. Arguments: store file, key ID, output file.
 *
 * Each record includes how long other processes have blocked this one so far, which does not count against the meter.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { openSync, readFileSync, writeSync } from "node:fs";
import { openDatabase, type Database } from "@triptych/storage";
import { openKeyStore } from "@triptych/api-keys";
import { createSlidingWindow } from "@triptych/rate-limit";
import { openEmbeddedMeter } from "../src/index.ts";
import { migrations, outcome, plans, type TestTables } from "./fixture.ts";

const [file, keyId, notes] = process.argv.slice(2);
assert.ok(file !== undefined && keyId !== undefined && notes !== undefined);
const store = await openDatabase<TestTables>({ url: `sqlite:${file}`, schema: "test", migrations });
const { database, diskDelayMs } = watchWrites(store);
const key = await openKeyStore(database).find(keyId);
assert.ok(key);
const onError = (error: unknown): never => {
  throw error;
};
const meter = await openEmbeddedMeter({
  database,
  plans,
  window: createSlidingWindow(),
  clock: Date.now,
  random: randomBytes,
  onError,
});

const log = openSync(notes, "w");
process.stdout.write("serving\n");
for (let served = 0; ;) {
  for (let index = 0; index < 5; index++) {
    const admission = await meter.admit(key, 1 + (served % 20));
    assert.ok(admission.verdict === "accepted");
    served += admission.reservation.granted;
    writeSync(log, `${served} ${Date.now()} ${schedulerDelayMs() + diskDelayMs()}\n`);
    await meter.settle(admission.reservation, outcome(admission.reservation.granted));
  }
  await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Milliseconds that this thread was runnable but not scheduled, if available (Linux, in nanoseconds). */
function schedulerDelayMs(): number {
  try {
    return Number(readFileSync("/proc/self/schedstat", "latin1").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** How much longer writes took than on an idle disk and CPU, in milliseconds. */
function watchWrites(watched: Database<TestTables>) {
  const { procedures } = watched;
  assert.ok(procedures);
  const USUAL_MS = 10;
  let before = 0;
  let began: number | null = null;
  const present = () => (began === null ? 0 : Math.max(0, performance.now() - began - USUAL_MS));
  const call: typeof procedures.call = async (name, input) => {
    began = performance.now();
    try {
      return await procedures.call(name, input);
    } finally {
      before += present();
      began = null;
    }
  };
  return { database: { ...watched, procedures: { call } }, diskDelayMs: () => before + present() };
}
