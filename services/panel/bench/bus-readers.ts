/** Event stream readers. The first few parse every number; the others compare byte counts and the last number. */
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";

interface ReaderJob {
  readonly port: number;
  readonly readers: number;
  readonly path: string;
  readonly token: string;
}

interface Reader {
  last: number;
  missed: number;
  bytes: number;
  /** Whether this reader parses every number. */
  isClose: boolean;
}

const readers: Reader[] = [];
const SAY_MS = 5;
/** Few, so that the readers' own CPU time is not measured. */
const CLOSE = 4;
/** Precedes a number; never occurs in a line of JSON. */
const MARK = "\nid: ";
/** Longer than the mark and its number. */
const TAIL_BYTES = 24;

const [job] = (await once(process, "message")) as [ReaderJob];
await Promise.all(
  Array.from({ length: job.readers }, async (_, index) => {
    const reader = { last: 0, missed: 0, bytes: 0, isClose: index < CLOSE };
    readers.push(reader);
    await open(job, reader);
  }),
);
say();

/** Reports the slowest reader: often enough to keep the worker busy, rarely enough to cost nothing. */
function say(): void {
  const slowest = Math.min(...readers.map(({ last }) => last));
  const [first] = readers;
  const uneven = readers.filter(({ isClose, bytes }) => !isClose && bytes !== first.bytes).length;
  process.send?.({ slowest, uneven, missed: readers.reduce((sum, { missed }) => sum + missed, 0) });
  setTimeout(say, SAY_MS);
}

async function open(job: ReaderJob, reader: Reader): Promise<void> {
  const { port, path, token } = job;
  const resumeHeader = { "last-event-id": String(reader.last) };
  const headers = { accept: "text/event-stream", authorization: `Bearer ${token}`, ...resumeHeader };
  const req = request({ host: "127.0.0.1", port, path, headers, agent: false });
  req.end();
  const [response] = (await once(req, "response")) as [IncomingMessage];
  response.on("data", (chunk: Buffer) => read(chunk));
  response.on("error", () => undefined);
  response.once("close", () => {
    reader.isClose = true;
    open(job, reader).catch(() => undefined);
  });
  let rest: Buffer | null = null;
  let tail = Buffer.alloc(0);

  function read(chunk: Buffer): void {
    reader.bytes += chunk.length;
    if (reader.isClose) readEveryId(chunk);
    else readLastId(chunk);
  }

  function readLastId(chunk: Buffer): void {
    const at = chunk.lastIndexOf(MARK);
    const end = at === -1 ? -1 : chunk.indexOf("\n", at + MARK.length);
    // The last mark may be split across two chunks; then the one before it is in this chunk.
    const bytes = end === -1 ? Buffer.concat([tail, chunk.subarray(0, TAIL_BYTES)]) : chunk;
    const last = end === -1 ? bytes.lastIndexOf(MARK) : at;
    const suffix = last === -1 ? "" : bytes.toString("latin1", last + MARK.length, last + TAIL_BYTES);
    const [, number] = /^(\d+)\n/.exec(suffix) ?? [];
    if (number !== undefined) reader.last = Math.max(reader.last, Number(number));
    tail = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
  }

  function readEveryId(chunk: Buffer): void {
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
