/**
 * Runs as JSON, written once for as long as the store answers the same record: a list of fifty is read again and again while one of them
 * changes. Bytes are kept, since text would be put into bytes for each answer.
 */
import type { FastifyReply } from "fastify";
import type { QueuePlace } from "../domain/queue-view.ts";
import type { RunRecord } from "../domain/records.ts";
import { runShape } from "./shapes.ts";

interface Written extends QueuePlace {
  readonly json: Buffer;
}

const written = new WeakMap<RunRecord, Written>();
const NOWHERE: QueuePlace = { reason: null, position: null };

export function runJson(run: RunRecord, { reason, position } = NOWHERE): Buffer {
  const known = written.get(run);
  if (known?.reason === reason && known.position === position) return known.json;
  const json = Buffer.from(JSON.stringify(runShape(run, { reason, position })));
  written.set(run, { reason, position, json });
  return json;
}

const COMMA = Buffer.from(",");

export function runsJson(runs: readonly Buffer[], next_cursor: string | null): Buffer {
  const items = runs.flatMap((run, place) => (place === 0 ? [run] : [COMMA, run]));
  const end = Buffer.from(`],"next_cursor":${JSON.stringify(next_cursor)}}`);
  return Buffer.concat([Buffer.from('{"items":['), ...items, end]);
}

/** JSON that is written already. */
export function sendJson(reply: FastifyReply, json: Buffer): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(json);
}
