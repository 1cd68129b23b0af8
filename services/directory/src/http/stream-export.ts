/**
 * `limit=all`: streams every match from `offset` up to the rest of the quota, from one version, in constant memory.
 * Rows are rendered under backpressure; a broken stream is billed for the rows it wrote.
 */
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { csvColumns, csvHeader, csvRow } from "../domain/serializers/csv.ts";
import { collectionFrame, toFeature } from "../domain/serializers/geojson.ts";
import { projectItem, type ProjectedItem } from "../domain/serializers/item-view.ts";
import { contentType, dispositionHeader } from "./formats.ts";
import type { ItemsQueryContext } from "./items-query-context.ts";
import { linkHeader, pageLinks } from "./page-links.ts";
import { collectionHead, countHeaders } from "./render-page.ts";

/** Rows per chunk: large enough to amortize a chunk's cost, small enough for flat memory. */
const ROWS_A_CHUNK = 200;

export async function streamEverything(queryContext: ItemsQueryContext): Promise<FastifyReply> {
  const { catalogue, context, query } = queryContext;
  const { total } = await catalogue.search({ ...query, limit: 0 });
  if (total > query.offset) context.caller.refuseExhausted();
  const returned = Math.max(0, Math.min(total - query.offset, query.limit));
  await context.caller.entry.narrow(returned);
  const links = pageLinks(context.request, queryContext.origin, {
    offset: query.offset,
    limit: returned,
    returned,
    total,
  });
  countHeaders(queryContext, total);
  context.reply.headers({
    ...queryContext.headers,
    ...dispositionHeader(queryContext.format),
    "content-type": contentType(queryContext.format),
    link: linkHeader(links),
  });
  const isHead = context.request.method === "HEAD";
  context.caller.note({ items: 0, geo: query.near !== null, expected: isHead ? 0 : returned });
  // An empty stream: an empty string would set `Content-Length: 0`.
  if (isHead) return context.reply.send(Readable.from([]));

  const frame = await frameOf(queryContext, { total, returned, links });
  return context.reply.send(Readable.from(chunks(queryContext, frame), { objectMode: true, highWaterMark: 1 }));
}

interface Frame {
  readonly head: string;
  readonly tail: string;
  readonly separator: string;
  readonly row: (item: ProjectedItem) => string;
}

async function frameOf(queryContext: ItemsQueryContext, extent: Parameters<typeof collectionHead>[1]): Promise<Frame> {
  switch (queryContext.format) {
    case "csv": {
      const columns = csvColumns({
        variant: queryContext.query.variant,
        fields: queryContext.request.fields,
        withDistance: queryContext.query.near !== null,
      });
      return { head: csvHeader(columns), tail: "", separator: "", row: (item) => csvRow(columns, item) };
    }
    case "geojson": {
      const [head, tail] = collectionFrame(await collectionHead(queryContext, extent));
      return { head, tail, separator: ",", row: (item) => JSON.stringify(toFeature(item)) };
    }
    case "ndjson":
    case "json":
      return { head: "", tail: "", separator: "", row: (item) => `${JSON.stringify(item)}\n` };
  }
}

async function* chunks(queryContext: ItemsQueryContext, frame: Frame): AsyncGenerator<Buffer> {
  const { caller } = queryContext.context;
  const geo = queryContext.query.near !== null;
  let rows: string[] = [];
  let written = 0;
  if (frame.head !== "") yield Buffer.from(frame.head);
  for await (const hit of queryContext.catalogue.stream(queryContext.query)) {
    const row = frame.row(projectItem(hit, { fields: queryContext.request.fields, origin: queryContext.origin }));
    rows.push(written + rows.length === 0 ? row : frame.separator + row);
    if (rows.length < ROWS_A_CHUNK) continue;
    written += rows.length;
    caller.note({ items: written, geo, partial: true });
    yield Buffer.from(rows.join(""));
    rows = [];
  }
  written += rows.length;
  caller.note({ items: written, geo, partial: true });
  yield Buffer.from(rows.join("") + frame.tail);
}
