/**
 * Runs as JSON, written once for as long as the store answers the same record: a list of fifty is read again and again while one of them
 * changes. A whole page is kept likewise, by the list that the store answers until anything is committed. Bytes are kept, since text
 * would be put into bytes for each answer; and a page of them is 85 KB, which a copy for each reader would soon fill the memory with.
 */
import type { FastifyReply } from "fastify";
import type { Page } from "../domain/repositories.ts";
import { placeIn, type QueuePlace, type QueueSight } from "../domain/queue-view.ts";
import type { RunRecord } from "../domain/records.ts";
import { pageOf } from "./cursors.ts";
import { runShape } from "./response-mappers.ts";

interface Written extends QueuePlace {
  readonly json: Buffer;
}

const written = new WeakMap<RunRecord, Written>();

export function runJson(run: RunRecord, place: QueuePlace): Buffer {
  const { reason, position, isolationMin } = place;
  const known = written.get(run);
  const isSame = known?.reason === reason && known.position === position && known.isolationMin === isolationMin;
  if (isSame) return known.json;
  const json = Buffer.from(JSON.stringify(runShape(run, place)));
  written.set(run, { ...place, json });
  return json;
}

const COMMA = Buffer.from(",");

interface WrittenPage {
  readonly sight: QueueSight | null;
  readonly json: Buffer;
}

/** The one that was written longest ago goes first: pages of 200 would be some twenty megabytes. */
const PAGES_KEPT = 64;
const writtenPages = new Map<readonly RunRecord[], WrittenPage>();

/** `found` as the store answers this page, with the one beyond it. */
export function runsJson(found: readonly RunRecord[], sight: QueueSight | null, page: Page): Buffer {
  const known = writtenPages.get(found);
  if (known !== undefined && known.sight === sight) return known.json;
  const { records, next_cursor } = pageOf(found, page);
  const runs = records.map((run) => runJson(run, placeIn(sight, run)));
  const items = runs.flatMap((run, place) => (place === 0 ? [run] : [COMMA, run]));
  const end = Buffer.from(`],"next_cursor":${JSON.stringify(next_cursor)}}`);
  const json = Buffer.concat([Buffer.from('{"items":['), ...items, end]);
  writtenPages.set(found, { sight, json });
  const [oldest] = writtenPages.keys();
  if (writtenPages.size > PAGES_KEPT && oldest !== undefined) writtenPages.delete(oldest);
  return json;
}

/** JSON that is written already. */
export function sendJson(reply: FastifyReply, json: Buffer): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(json);
}
