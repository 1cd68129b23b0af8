/** Readers of one event stream each, which count the numbers they are sent and nothing else. Who is cut comes back. */
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";

interface Order {
  readonly port: number;
  readonly readers: number;
  readonly path: string;
  readonly token: string;
}

interface Reader {
  last: number;
  missed: number;
}

const readers: Reader[] = [];
const SAY_MS = 5;

const [order] = (await once(process, "message")) as [Order];
await Promise.all(
  Array.from({ length: order.readers }, async () => {
    const reader = { last: 0, missed: 0 };
    readers.push(reader);
    await open(order, reader);
  }),
);
say();

/** Where the slowest one is: often enough to keep the worker going, seldom enough to cost nothing. */
function say(): void {
  const heard = Math.min(...readers.map(({ last }) => last));
  process.send?.({ heard, missed: readers.reduce((sum, { missed }) => sum + missed, 0) });
  setTimeout(say, SAY_MS);
}

async function open(order: Order, reader: Reader): Promise<void> {
  const { port, path, token } = order;
  const place = { "last-event-id": String(reader.last) };
  const headers = { accept: "text/event-stream", authorization: `Bearer ${token}`, ...place };
  const asked = request({ host: "127.0.0.1", port, path, headers, agent: false });
  asked.end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  response.on("data", (chunk: Buffer) => read(chunk));
  response.on("error", () => undefined);
  response.once("close", () => void open(order, reader));
  let rest: Buffer | null = null;

  /** Only lines that begin with `id: ` are looked at: 200 readers on the same two cores shall not be what is measured. */
  function read(chunk: Buffer): void {
    const bytes = rest === null ? chunk : Buffer.concat([rest, chunk]);
    let at = bytes.indexOf("id: ");
    let whole = 0;
    while (at !== -1) {
      const end = bytes.indexOf("\n\n", at);
      if (end === -1) break;
      const seq = Number.parseInt(bytes.toString("latin1", at + 4, at + 16), 10);
      reader.missed += Math.abs(seq - reader.last - 1);
      reader.last = seq;
      whole = end + 2;
      at = bytes.indexOf("id: ", whole);
    }
    rest = whole === bytes.length ? null : bytes.subarray(whole);
  }
}
