import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { WebSocket, WebSocketServer } from "ws";
import { WorkerConnection } from "../../src/worker-connections/link.ts";

async function openLink() {
  await using opened = new AsyncDisposableStack();
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  opened.adopt(server, (closing) => closing.close());
  await once(server, "listening");
  const worker = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  opened.defer(() => worker.terminate());
  const received: string[] = [];
  worker.on("message", (data) => {
    if (Buffer.isBuffer(data)) received.push(JSON.parse(data.toString()).cid ?? "answer");
  });
  const [[socket]]: readonly (readonly WebSocket[])[] = await Promise.all([
    once(server, "connection"),
    once(worker, "open"),
  ]);
  const closed = once(worker, "close");
  const parts = opened.move();
  const link = new WorkerConnection(socket, 0);
  return { link, worker, socket, received, closed, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

const DRAIN = { t: "drain" } as const;

test("sends each accepted command once and in order, on flush or before the next frame", async () => {
  await using fixture = await openLink();
  const { link, received } = fixture;
  const taken = [link.take(DRAIN, 0), link.take(DRAIN, 0)];
  assert.deepEqual([taken, link.pending], [["c1", "c2"], 2]);
  link.flush();
  link.flush();
  link.take(DRAIN, 0);
  link.answer({ t: "events_ack", run_id: "run_1", epoch: 1, upto: 1 });
  link.take(DRAIN, 0);
  link.command(DRAIN, 0);
  link.take(DRAIN, 0);
  link.close(1012, "the panel is restarting");
  await fixture.closed;
  assert.deepEqual(received, ["c1", "c2", "c3", "answer", "c4", "c5", "c6"]);
});

test("rejects the 65th pending command, sent or not", async () => {
  await using fixture = await openLink();
  for (let count = 0; count < 64; count++) assert.notEqual(fixture.link.take(DRAIN, 0), null);
  assert.equal(fixture.link.take(DRAIN, 0), null);
});

test("limits the outbox by bytes on the wire, not by characters", async () => {
  await using fixture = await openLink();
  const models = { t: "models", cli: "ж".repeat(70_000) } as const;
  assert.notEqual(fixture.link.take(models, 0), null);
  assert.equal(fixture.link.take(models, 0), null);
});

test("keeps a slow worker connected when nothing awaits acknowledgement", async () => {
  await using fixture = await openLink();
  const { link, worker, socket } = fixture;
  worker.pause();
  for (let count = 0; count < 24; count++) link.answer({ t: "state_ack", mid: "m".repeat(1024 * 1024), result: "ok" });
  assert.equal(link.take(DRAIN, 0), null);
  assert.equal(link.check(29_000), "well");
  worker.resume();
  while (socket.bufferedAmount > 0) await setImmediate();
  assert.equal(link.check(31_000), "well");
  assert.notEqual(link.take(DRAIN, 31_000), null);
});
