/**
 * A process that serves and meters as fast as it can until it is killed. What it has served it writes down before it settles it, so
 * the parent's count is never below what can be booked; what was written to a file outlives a kill. Says one word when it begins.
 * Arguments: file of the store, id of the key, file to write down to.
 *
 * With each request it notes for how long it has been held up so far: what a machine does that runs others instead, or lets them have the
 * disk, is not for the meter to answer for.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { openSync, readFileSync, writeSync } from "node:fs";
import { openDatabase, type Database } from "@triptych/storage";
import { openEmbeddedMeter, openKeyStore, type MeteringTables } from "../src/index.ts";
import { migrations, outcome, plans } from "./fixture.ts";

const [file, keyId, notes] = process.argv.slice(2);
assert.ok(file !== undefined && keyId !== undefined && notes !== undefined);
const store = await openDatabase<MeteringTables>({ url: `sqlite:${file}`, schema: "test", migrations });
const { database, diskDelayMs } = watchWrites(store);
const key = await openKeyStore(database).find(keyId);
assert.ok(key);
const onFault = (fault: unknown): never => {
  throw fault;
};
const meter = await openEmbeddedMeter({ database, plans, clock: Date.now, random: randomBytes, onFault });

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

/** Milliseconds that this thread could have run and was not let, where the system tells (Linux, in nanoseconds). */
function schedulerDelayMs(): number {
  try {
    return Number(readFileSync("/proc/self/schedstat", "latin1").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Milliseconds that writes took longer than on a disk and a processor that nobody else uses. */
function watchWrites(watched: Database<MeteringTables>) {
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
