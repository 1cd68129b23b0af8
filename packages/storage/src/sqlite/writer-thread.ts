/**
 * The writer thread. It has one connection at a time and responds to requests in order. The first message names the
 * file; `null` closes it, and the thread waits for the next file.
 */
import { parentPort } from "node:worker_threads";
import { BUSY_MS, type Connection, openConnection, type DurabilityLevel } from "./connection.ts";
import {
  createWriterCore,
  serializeError,
  type Writer,
  type WriterRequest,
  type WriterResponse,
} from "./writer-protocol.ts";

export type Message = { readonly path: string; readonly sync: DurabilityLevel } | WriterRequest | null;

if (parentPort === null) throw new Error("The store starts the writer thread; do not run this file.");

const port = parentPort;
let open: { readonly connection: Connection; readonly perform: Writer } | null = null;

port.on("message", (message: Message) => void answer(message).then((response) => port.postMessage(response)));

function answer(message: Message): Promise<WriterResponse> {
  if (message !== null && "path" in message) return Promise.resolve(openFile(message.path, message.sync));
  if (open === null) throw new Error("The writer thread has no open file.");
  if (message !== null) return open.perform(message);

  open.connection.close();
  open = null;
  return Promise.resolve(DONE);
}

const DONE: WriterResponse = { ok: true, outcomes: [] };

function openFile(path: string, sync: DurabilityLevel): WriterResponse {
  try {
    const connection = openConnection(path, "writer", sync);
    open = { connection, perform: createWriterCore(connection, { busyMs: BUSY_MS }) };
    return DONE;
  } catch (error) {
    return { ok: false, error: serializeError(error) };
  }
}
