/**
 * A keep-alive connection that sends one GET at a time and hands the answer over as it came. Written for the bench because a client
 * that costs more than the server it asks measures itself; it knows what our servers send: a length, never chunks.
 */
import { once } from "node:events";
import { createConnection } from "node:net";

export interface Heard {
  readonly status: number;
  readonly body: Buffer;
}

export interface Connection {
  get(path: string, key: string): Promise<Heard>;
  close(): void;
}

const END_OF_HEAD = "\r\n\r\n";

export async function openConnection(address: string): Promise<Connection> {
  const { hostname, port, host } = new URL(address);
  const socket = createConnection({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");

  let waiting: PromiseWithResolvers<Heard> | null = null;
  let chunks: Buffer[] = [];
  let received = 0;
  /** Bytes of the whole answer, once its head is there. */
  let expected = Infinity;
  let bodyAt = 0;
  const fail = (reason: string) => {
    waiting?.reject(new Error(reason));
    waiting = null;
    socket.destroy();
  };
  const readHead = () => {
    const head = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, received);
    chunks = [head];
    const end = head.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(head.toString("latin1", 0, end))?.[1];
    if (length === undefined) return fail(`an answer without a length: ${head.toString("latin1", 0, end)}`);
    bodyAt = end + END_OF_HEAD.length;
    expected = bodyAt + Number(length);
  };
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    received += chunk.length;
    if (expected === Infinity) readHead();
    if (received < expected || waiting === null) return;
    const whole = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, received);
    const { resolve } = waiting;
    [waiting, chunks, received, expected] = [null, [], 0, Infinity];
    resolve({ status: Number(whole.toString("latin1", 9, 12)), body: whole.subarray(bodyAt) });
  });
  socket.on("error", (error) => fail(error.message));
  socket.on("close", () => fail("the server closed the connection"));

  return {
    get(path, key) {
      if (socket.destroyed) return Promise.reject(new Error("the server closed the connection"));
      waiting = Promise.withResolvers<Heard>();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}
