import assert from "node:assert/strict";
import { test } from "node:test";
import { closeGate, createNativeGate, withNativeLock } from "../src/workers/native-call-lock.ts";

test("the lock closes after the current call and admits no further calls", async () => {
  const gate = createNativeGate();
  assert.equal(await withNativeLock(gate, () => Promise.resolve(1)), 1);
  const inside = Promise.withResolvers<number>();
  const working = withNativeLock(gate, () => inside.promise);
  let isClosed = false;
  const closing = closeGate(gate).then(() => (isClosed = true));
  await new Promise((resolve) => void setImmediate(resolve));
  assert.equal(isClosed, false);
  inside.resolve(2);
  assert.equal(await working, 2);
  await closing;
  let hasEntered = false;
  const late = withNativeLock(gate, () => Promise.resolve((hasEntered = true)));
  await assert.rejects(late, /terminating/);
  assert.equal(hasEntered, false);
  await closeGate(gate);
});

test("a failing call leaves the lock open", async () => {
  const gate = createNativeGate();
  await assert.rejects(
    withNativeLock(gate, () => Promise.reject(new Error("planted"))),
    /planted/,
  );
  assert.equal(await withNativeLock(gate, () => Promise.resolve("in")), "in");
});
