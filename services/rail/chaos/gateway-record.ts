/**
 * The record that a gateway writes about itself, against which the ledger is judged. It is written synchronously and
 * without a buffer, so that it survives a kill. A truncated last line is ignored.
 */
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { TICK_MS, type GatewayNote } from "./records.ts";

export interface GatewayRecord {
  readonly path: string;
  /** The notes since the last call. */
  read(): readonly GatewayNote[];
}

/**
 * Opens the record in the gateway process: records the start and the beats, and returns the function that appends a
 * note.
 */
export function keepGatewayRecord(path: string): (note: GatewayNote) => void {
  const file = openSync(path, "a");
  // The previous process may have been killed while it wrote a line.
  writeSync(file, "\n");
  const add = (note: GatewayNote) => void writeSync(file, `${lineOf(note)}\n`);
  add({ kind: "begun" });
  setInterval(() => add({ kind: "beat" }), TICK_MS).unref();
  return add;
}

const CHUNK_BYTES = 1 << 20;

export function openGatewayRecord(path: string): GatewayRecord {
  closeSync(openSync(path, "a", 0o600));
  let read = 0;

  return {
    path,
    read() {
      const text = textFrom(path, read);
      const whole = text.slice(0, text.lastIndexOf("\n") + 1);
      read += Buffer.byteLength(whole);
      return whole.split("\n").flatMap((line) => noteOf(line) ?? []);
    },
  };
}

/** The line for a note, without the line end; `noteOf` reads it. */
function lineOf(note: GatewayNote): string {
  if (note.kind === "finish") return `finish ${note.chargeId} ${note.tryId}`;
  if (note.kind === "confirmed") return `confirmed ${note.boot} ${note.through} ${note.also.join(",")}`;
  return note.kind;
}

function noteOf(line: string): GatewayNote | null {
  const [kind, first = "", other = "", third = ""] = line.split(" ");
  switch (kind) {
    case "finish":
      return { kind, chargeId: first, tryId: other };
    case "confirmed":
      return { kind, boot: first, through: Number(other), also: third === "" ? [] : third.split(",").map(Number) };
    case "begun":
    case "beat":
    case "sent":
    case "lost":
      return { kind };
    default:
      return null;
  }
}

function textFrom(path: string, start: number): string {
  const file = openSync(path, "r");
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    const length = readSync(file, buffer, 0, CHUNK_BYTES, at);
    if (length === 0) break;
    chunks.push(buffer.subarray(0, length));
    at += length;
  }
  closeSync(file);
  return Buffer.concat(chunks).toString();
}
