import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { benchData } from "../../bench/generated-items.ts";
import { openInMemory } from "../support/open-in-memory.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

/** More bytes than socket buffers take, so that a client that stops reading stops the stream. */
const ITEMS = 5000;

async function createLargeFixture(): Promise<Fixture> {
  const data = benchData(ITEMS);
  return createFixture({ catalogue: await openInMemory([...data.items()], data.tagLabels) });
}

/** Requests everything and reads only the first bytes. */
async function beginExport(fixture: Fixture, key: string): Promise<Socket> {
  const url = await fixture.app.listen({ host: "127.0.0.1", port: 0 }).then(() => fixture.app.fastify.listeningOrigin);
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(`GET /api/items?limit=all&format=ndjson HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
  await once(socket, "data");
  socket.pause();
  return socket;
}

test("bills a broken stream for the rows it wrote, and reserves only items that it will send", async () => {
  await using fixture = await createLargeFixture();
  const { key, secret } = await fixture.createKey({ plan: "pro", dailyItems: ITEMS + 30 });
  const socket = await beginExport(fixture, secret);

  const beside = await fixture.ask("/api/items?limit=50", { key: secret });
  assert.equal(beside.json().items.length, 30, "the quota that the stream leaves");

  const settled = Promise.withResolvers<void>();
  const poll = async (): Promise<void> => {
    const [day] = await fixture.meter.usage(key.id, "2026-11-20", "2026-11-20");
    if (day?.requests === 2) settled.resolve();
    else setImmediate(() => void poll());
  };
  socket.destroy();
  await poll();
  await settled.promise;

  const rows = await fixture.database.db.selectFrom("usage_row").selectAll().where("key_id", "=", key.id).execute();
  const stream = rows.find(({ items }) => items !== 30);
  assert.ok(stream !== undefined && stream.items > 0 && stream.items < ITEMS, `${stream?.items} rows`);
  assert.equal(stream.items % 200, 0, "whole chunks");
  const left = await fixture.ask("/api/items?limit=0", { key: secret });
  assert.equal(left.headers["x-quota-remaining"], String(ITEMS - stream.items));
});
