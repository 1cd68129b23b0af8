/**
 * Caches the JSON of runs and of whole pages for as long as the store returns the same objects: lists are polled while one run changes.
 * Stores bytes, because text would be encoded for each response. A page is 85 KB, so readers share one copy.
 */
import type { FastifyReply } from "fastify";
import { positionIn, type QueuePosition, type QueueSnapshot } from "../queue/view.ts";
import type { RunRecord, Page } from "../domain/records.ts";
import { pageOf } from "./cursors.ts";
import { runShape } from "./response-mappers.ts";

interface Written extends QueuePosition {
  readonly json: Buffer;
}

const written = new WeakMap<RunRecord, Written>();

export function runJson(run: RunRecord, place: QueuePosition): Buffer {
  const { reason, position, isolationMin } = place;
  const cached = written.get(run);
  const isSame = cached?.reason === reason && cached.position === position && cached.isolationMin === isolationMin;
  if (isSame) return cached.json;
  const json = Buffer.from(JSON.stringify(runShape(run, place)));
  written.set(run, { ...place, json });
  return json;
}

const COMMA = Buffer.from(",");

interface WrittenPage {
  readonly snapshot: QueueSnapshot | null;
  readonly json: Buffer;
}

/** Evicts the oldest: pages of 200 take about twenty megabytes in all. */
const PAGES_MAX = 64;
const writtenPages = new Map<readonly RunRecord[], WrittenPage>();

/** `found`: the store's page, including the extra row. */
export function runsJson(rows: readonly RunRecord[], snapshot: QueueSnapshot | null, page: Page): Buffer {
  const cached = writtenPages.get(rows);
  if (cached !== undefined && cached.snapshot === snapshot) return cached.json;
  const { records, next_cursor } = pageOf(rows, page);
  const runs = records.map((run) => runJson(run, positionIn(snapshot, run)));
  const items = runs.flatMap((run, index) => (index === 0 ? [run] : [COMMA, run]));
  const end = Buffer.from(`],"next_cursor":${JSON.stringify(next_cursor)}}`);
  const json = Buffer.concat([Buffer.from('{"items":['), ...items, end]);
  writtenPages.set(rows, { snapshot, json });
  const [oldest] = writtenPages.keys();
  if (writtenPages.size > PAGES_MAX && oldest !== undefined) writtenPages.delete(oldest);
  return json;
}

export function sendJson(reply: FastifyReply, json: Buffer): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(json);
}
