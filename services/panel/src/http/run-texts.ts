/**
 * Runs as JSON, written once for as long as the store answers the same record: a list of fifty is read again and again while one of them
 * changes.
 */
import type { FastifyReply } from "fastify";
import type { QueuePlace } from "../domain/queue-view.ts";
import type { RunRecord } from "../domain/records.ts";
import { runShape } from "./shapes.ts";

interface Written extends QueuePlace {
  readonly text: string;
}

const written = new WeakMap<RunRecord, Written>();
const NOWHERE: QueuePlace = { reason: null, position: null };

export function runText(run: RunRecord, { reason, position } = NOWHERE): string {
  const known = written.get(run);
  if (known?.reason === reason && known.position === position) return known.text;
  const text = JSON.stringify(runShape(run, { reason, position }));
  written.set(run, { reason, position, text });
  return text;
}

/** JSON that is written already. */
export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(text);
}
