/**
 * `limit=all`: streams every match from `offset` up to the rest of the quota, from one version, in constant memory.
 * Rows are rendered under backpressure; a broken stream is billed for the rows it wrote.
 */
import { Readable } from "node:stream";
import type { getItems } from "@triptych/contracts";
import type { ChangeLog } from "../domain/changes.ts";
import type { RequestContext } from "@triptych/server";
import type { FastifyReply } from "fastify";
import { projectItem } from "../domain/serializers/json.ts";
import { isGeographic, type Caller } from "./caller.ts";
import { pageLinks } from "./page-links.ts";
import { tombstones } from "./tombstones.ts";
import { withHighlights, type Highlighter } from "./highlight.ts";
import { highlighterOf, listHeaders, listText, type ListText, type PageRequest } from "./render-page.ts";

/** Rows per chunk: large enough to amortize a chunk's cost, small enough for flat memory. */
const ROWS_A_CHUNK = 200;

export async function streamEverything(
  { caller, reply, request }: RequestContext<typeof getItems, Caller>,
  page: PageRequest,
  changes: ChangeLog,
): Promise<FastifyReply> {
  const { catalogue, query } = page;
  const { total, corrected, relaxed } = await catalogue.search({ ...query, limit: 0 });
  const highlight = highlighterOf(page.parsed, query, { corrected, relaxed });
  if (total > query.offset) caller.requireQuota();
  const returned = Math.max(0, Math.min(total - query.offset, query.limit));
  await caller.entry.narrow(returned);
  const links = pageLinks(page.self, { offset: query.offset, limit: returned, returned, total });
  const isHead = request.method === "HEAD";
  reply.headers({
    ...listHeaders(page, links, total),
    "x-total-count": String(total),
    "x-offset": String(query.offset),
  });
  reply.headers(caller.entry.fields(isHead ? 0 : returned));
  caller.record({ items: 0, format: page.format, geo: isGeographic(query) });
  // Sends an empty stream, because an empty string would set `Content-Length: 0`.
  if (isHead) return reply.send(Readable.from([]));

  const text = await listText(page, { total, returned, links, missing: null });
  return reply.send(
    Readable.from(withTombstones(chunks(caller, page, { ...text, highlight }), page, changes), {
      objectMode: true,
      highWaterMark: 1,
    }),
  );
}

/** Tombstones go first: applied in order, a line never removes an item that a later line brings back. */
async function* withTombstones(
  items: AsyncGenerator<Buffer>,
  { catalogue, format, query }: PageRequest,
  changes: ChangeLog,
): AsyncGenerator<Buffer> {
  // The first page has them all; the continuation of a cut one has only items.
  if (format === "ndjson" && query.changedAfter !== null && query.offset === 0) {
    let lines: string[] = [];
    for await (const tombstone of tombstones(catalogue, query, changes)) {
      lines.push(`${JSON.stringify(tombstone)}\n`);
      if (lines.length < ROWS_A_CHUNK) continue;
      yield Buffer.from(lines.join(""));
      lines = [];
    }
    if (lines.length > 0) yield Buffer.from(lines.join(""));
  }
  yield* items;
}

interface HighlightedText extends ListText {
  readonly highlight: Highlighter | null;
}

async function* chunks(caller: Caller, page: PageRequest, text: HighlightedText): AsyncGenerator<Buffer> {
  const { format } = page;
  const geo = isGeographic(page.query);
  let rows: string[] = [];
  let written = 0;
  if (text.head !== "") yield Buffer.from(text.head);
  for await (const hit of page.catalogue.stream(page.query)) {
    const item = projectItem(hit, { fields: page.parsed.fields, origin: page.origin });
    const row = text.row(withHighlights(item, hit, text.highlight));
    rows.push(written + rows.length === 0 ? row : text.separator + row);
    if (rows.length < ROWS_A_CHUNK) continue;
    written += rows.length;
    caller.record({ items: written, format, geo, partial: true });
    yield Buffer.from(rows.join(""));
    rows = [];
  }
  written += rows.length;
  caller.record({ items: written, format, geo, partial: true });
  yield Buffer.from(rows.join("") + text.tail);
}
