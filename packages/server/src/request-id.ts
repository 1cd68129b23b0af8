/** ID of a request: the client's if it is valid and contains no secret, else a new time-ordered one. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { holdsSecret } from "./redact.ts";

const SANE = /^[A-Za-z0-9._:-]{1,64}$/;

export function requestId(request: Pick<IncomingMessage, "headers">): string {
  const clientId = request.headers["x-request-id"];
  if (typeof clientId === "string" && SANE.test(clientId) && !holdsSecret(clientId)) return clientId;
  return newId("req_", Date.now());
}

/** Random bytes are fetched in batches: a system call per ID is measurable at thousands of requests per second. */
const POOL_BYTES = 4000;
const ID_DIGITS = 20;
let pool = "";
let used = 0;

function randomHex(): string {
  if (used === pool.length) [pool, used] = [randomBytes(POOL_BYTES).toString("hex"), 0];
  used += ID_DIGITS;
  return pool.slice(used - ID_DIGITS, used);
}

/** Prefix, milliseconds and 80 random bits in hexadecimal: IDs sort by time. */
export function newId(prefix: string, now: number): string {
  return `${prefix}${now.toString(16).padStart(12, "0")}${randomHex()}`;
}
