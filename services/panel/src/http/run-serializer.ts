/**
 * Runs as JSON, written once for as long as the store answers the same record: a list of fifty is read again and again while one of them
 * changes. A whole page is kept likewise, by the list that the store answers until anything is committed. Bytes are kept, since text
 * would be put into bytes for each answer; and a page of them is 85 KB, which a copy for each reader would soon fill the memory with.
 */
import type { FastifyReply } from "fastify";
import type { Page } from "../domain/repositories.ts";
import { positionIn, type QueuePosition, type QueueSnapshot } from "../domain/queue-view.ts";
import type { RunRecord } from "../domain/records.ts";
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

/** The one that was written longest ago goes first: pages of 200 would be some twenty megabytes. */
const PAGES_MAX = 64;
const writtenPages = new Map<readonly RunRecord[], WrittenPage>();

/** `found` as the store answers this page, with the one beyond it. */
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

/** JSON that is written already. */
export function sendJson(reply: FastifyReply, json: Buffer): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(json);
}
