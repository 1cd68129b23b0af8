/** ID of a request: the client's if it is valid and contains no secret, else a new time-ordered one. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { poolRandom, ulid } from "@triptych/ids";
import { holdsSecret } from "./redact.ts";

const SANE = /^[A-Za-z0-9._:-]{1,64}$/;

export function requestId(request: Pick<IncomingMessage, "headers">): string {
  const clientId = request.headers["x-request-id"];
  if (typeof clientId === "string" && SANE.test(clientId) && !holdsSecret(clientId)) return clientId;
  return newRequestId();
}

const random = poolRandom(randomBytes);

export function newRequestId(): string {
  return ulid("req", Date.now(), random);
}
