/**
 * A process that serves and meters as fast as it can until it is killed. What it has served it writes down before it settles it, so
 * the parent's count is never below what can be booked; what was written to a file outlives a kill. Says one word when it begins.
 * Arguments: file of the store, id of the key, file to write down to.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import { openDatabase } from "@triptych/storage";
import { openEmbeddedMeter, openKeyStore, type MeteringTables } from "../src/index.ts";
import { migrations, outcome, plans } from "./house.ts";

const [file, keyId, notes] = process.argv.slice(2);
assert.ok(file !== undefined && keyId !== undefined && notes !== undefined);
const database = await openDatabase<MeteringTables>({ url: `sqlite:${file}`, schema: "test", migrations });
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
    writeSync(log, `${served} ${Date.now()}\n`);
    await meter.settle(admission.reservation, outcome(admission.reservation.granted));
  }
  await new Promise((resolve) => setTimeout(resolve, 1));
}
