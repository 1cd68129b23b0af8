import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { Pool, type Dispatcher } from "undici";
import { exchange } from "../src/exchange.ts";

const REQUEST = { method: "POST", path: "/", body: "{}", idempotent: true, blocking: false } as const;
const HEAD = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n";
const ENDLESS = { begin: () => () => undefined, [Symbol.dispose]: () => undefined };

test("what is given up breaks the connection that it shares, and what was half answered there is whole all the same", async () => {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    const isFirst = connections.push(socket) === 1;
    let asked = 0;
    socket
      .on("error", () => undefined)
      .on("data", (bytes) => {
        asked += bytes.toString().split("POST / ").length - 1;
        if (isFirst && asked === 2) socket.write(`${HEAD}ab`);
        if (!isFirst) socket.write(`${HEAD}abcd`);
      });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1, pipelining: 2 });
  const half = Promise.withResolvers<void>();
  const watched: Pick<Dispatcher, "dispatch"> = {
    dispatch: (asked, handler) =>
      pool.dispatch(asked, {
        ...handler,
        onResponseData(controller, part) {
          handler.onResponseData?.(controller, part);
          half.resolve();
        },
      }),
  };
  const impatient = Promise.withResolvers<(why: Error) => void>();
  const patience = {
    ...ENDLESS,
    begin: (giveUp: (why: Error) => void) => (impatient.resolve(giveUp), () => undefined),
  };

  const first = exchange({ pool: watched, patience: ENDLESS }, REQUEST);
  const second = assert.rejects(exchange({ pool, patience }, REQUEST), { message: "too long" });
  await half.promise;
  (await impatient.promise)(new Error("too long"));

  await second;
  const { status, body } = await first;
  assert.deepEqual([status, body.toString(), connections.length], [200, "abcd", 2]);
  await pool.destroy();
  server.close();
});
