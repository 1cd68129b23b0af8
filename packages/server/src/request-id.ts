/** The id of a request: the client's own when it is sane and holds no secret, else a new one that sorts by time. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { holdsSecret } from "./redact.ts";

const SANE = /^[A-Za-z0-9._:-]{1,64}$/;

export function requestId(request: Pick<IncomingMessage, "headers">): string {
  const given = request.headers["x-request-id"];
  if (typeof given === "string" && SANE.test(given) && !holdsSecret(given)) return given;
  return newId("req_", Date.now());
}

/** Randomness is fetched for many ids at once: one system call each would be felt at thousands of requests a second. */
const POOL_BYTES = 4000;
const ID_BYTES = 10;
let pool = Buffer.alloc(0);

function randomHex(): string {
  if (pool.length < ID_BYTES) pool = randomBytes(POOL_BYTES);
  const hex = pool.toString("hex", 0, ID_BYTES);
  pool = pool.subarray(ID_BYTES);
  return hex;
}

/** A prefix, the time in milliseconds and 80 random bits, in lower-case hexadecimal: ids sort by time. */
export function newId(prefix: string, now: number): string {
  return `${prefix}${now.toString(16).padStart(12, "0")}${randomHex()}`;
}
