/** Writes the `Server-Timing` header, and the response as canonical JSON, so that clients can reproduce its hash. */
import { canonicalJson } from "@triptych/contracts";
import { skipCompression } from "@triptych/server";
import type { FastifyReply } from "fastify";

/** Milliseconds. `total` starts at the first byte of the request. */
export interface Durations {
  readonly parse: number;
  readonly decide: number;
}

export function sendDecision(
  reply: FastifyReply,
  body: Readonly<Record<string, unknown>>,
  { parse, decide }: Durations,
): FastifyReply {
  const text = canonicalJson(body);
  skipCompression(reply.request, text.length);
  const total = reply.elapsedTime;
  return reply
    .header(
      "Server-Timing",
      `parse;dur=${formatMs(parse)}, decide;dur=${formatMs(decide)}, total;dur=${formatMs(total)}`,
    )
    .type("application/json; charset=utf-8")
    .send(text);
}

function formatMs(milliseconds: number): string {
  return milliseconds.toFixed(3);
}
