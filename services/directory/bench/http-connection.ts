/**
 * A keep-alive connection that sends one GET at a time. A minimal client, because one that costs more than the server
 * measures itself. Supports what our servers send: Content-Length, no chunks.
 */
import { once } from "node:events";
import { createConnection } from "node:net";

export interface HttpResponse {
  readonly status: number;
  /** A view on the connection's buffer, overwritten by the next request. */
  readonly body: Buffer;
}

export interface Connection {
  get(path: string, key: string): Promise<HttpResponse>;
  close(): void;
}

const END_OF_HEAD = "\r\n\r\n";
const INITIAL_BYTES = 1 << 16;

export async function openConnection(address: string): Promise<Connection> {
  const { hostname, port, host } = new URL(address);
  let waiting: PromiseWithResolvers<HttpResponse> | null = null;
  // Responses reuse one buffer. Allocating per response would add the client's collections, 10 to 40 ms every other
  // second, to the server's time.
  let buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  let received = 0;
  /** Bytes of the whole response, once its head is complete. */
  let expected = Infinity;
  let bodyAt = 0;
  const socket = createConnection({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: {
      buffer: () => {
        if (received === buffer.length) grow();
        return buffer.subarray(received);
      },
      callback: (length) => {
        receive(length);
        return true;
      },
    },
  });
  await once(socket, "connect");

  const fail = (reason: string) => {
    waiting?.reject(new Error(reason));
    waiting = null;
    socket.destroy();
  };
  const grow = () => {
    const larger = Buffer.allocUnsafeSlow(buffer.length * 2);
    buffer.copy(larger, 0, 0, received);
    buffer = larger;
  };
  const readHead = () => {
    const end = buffer.subarray(0, received).indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = buffer.toString("latin1", 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) return fail(`a response without Content-Length: ${head}`);
    bodyAt = end + END_OF_HEAD.length;
    expected = bodyAt + Number(length);
  };
  const receive = (length: number) => {
    received += length;
    if (expected === Infinity) readHead();
    if (received < expected || waiting === null) return;
    const { resolve } = waiting;
    const response = { status: Number(buffer.toString("latin1", 9, 12)), body: buffer.subarray(bodyAt, received) };
    [waiting, received, expected] = [null, 0, Infinity];
    resolve(response);
  };
  socket.on("error", (error) => fail(error.message));
  socket.on("close", () => fail("the server closed the connection"));

  return {
    get(path, key) {
      if (socket.destroyed) return Promise.reject(new Error("the server closed the connection"));
      waiting = Promise.withResolvers<HttpResponse>();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}
