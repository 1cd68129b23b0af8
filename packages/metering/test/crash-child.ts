/**
 * A process that serves and meters as fast as it can until it is killed. What it has served it says before it settles it, so the
 * parent's count is never below what can be booked. Arguments: file of the store, id of the key.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { openDatabase } from "@triptych/storage";
import { openEmbeddedMeter, openKeyStore, type MeteringTables } from "../src/index.ts";
import { migrations, outcome, plans } from "./house.ts";

const [file, keyId] = process.argv.slice(2);
assert.ok(file !== undefined && keyId !== undefined);
const database = await openDatabase<MeteringTables>({ url: `sqlite:${file}`, schema: "test", migrations });
const key = await openKeyStore(database).find(keyId);
assert.ok(key);
const onFault = (fault: unknown): never => {
  throw fault;
};
const meter = await openEmbeddedMeter({ database, plans, clock: Date.now, random: randomBytes, onFault });

for (let served = 0; ;) {
  for (let index = 0; index < 5; index++) {
    const admission = await meter.admit(key, 1 + (served % 20));
    assert.ok(admission.verdict === "accepted");
    served += admission.reservation.granted;
    writeSync(1, `${served} ${Date.now()}\n`);
    await meter.settle(admission.reservation, outcome(admission.reservation.granted));
  }
  await new Promise((resolve) => setTimeout(resolve, 1));
}
