/** Reads what a gateway wrote down about itself, as far as it has come; a last line that a kill cut off is none. */
import { closeSync, openSync, readSync } from "node:fs";
import type { Finish } from "./records.ts";

export interface GatewayRecord {
  readonly path: string;
  /** What was added since it was last asked. */
  read(): GatewayNews;
}

export interface GatewayNews {
  readonly finishes: readonly Finish[];
  /** Batches that were answered: when, and how long that took, milliseconds. */
  readonly batches: readonly { readonly at: number; readonly ms: number }[];
}

const PORTION = 1 << 20;

export function openGatewayRecord(path: string): GatewayRecord {
  closeSync(openSync(path, "a", 0o600));
  let read = 0;

  return {
    path,
    read() {
      const text = textFrom(path, read);
      const whole = text.slice(0, text.lastIndexOf("\n") + 1);
      read += Buffer.byteLength(whole);
      const lines = whole.split("\n").map((line) => line.split(" "));
      return {
        finishes: lines.flatMap(([kind, at, chargeId = "", tryId = ""]) =>
          kind === "finish" ? [{ chargeId, tryId, at: Number(at) }] : [],
        ),
        batches: lines.flatMap(([kind, at, ms]) => (kind === "batch" ? [{ at: Number(at), ms: Number(ms) }] : [])),
      };
    },
  };
}

function textFrom(path: string, start: number): string {
  const file = openSync(path, "r");
  const portions: Buffer[] = [];
  for (let at = start; ;) {
    const portion = Buffer.alloc(PORTION);
    const length = readSync(file, portion, 0, PORTION, at);
    if (length === 0) break;
    portions.push(portion.subarray(0, length));
    at += length;
  }
  closeSync(file);
  return Buffer.concat(portions).toString();
}
