/** One page of `/api/items` in the requested format. */
import type { FastifyReply } from "fastify";
import type { Facets, Page } from "../domain/catalogue.ts";
import { csvColumns, csvHeader, csvRow } from "../domain/serializers/csv.ts";
import { collectionFrame, toFeature } from "../domain/serializers/geojson.ts";
import { jsonPage, jsonPageOf } from "../domain/serializers/json-page.ts";
import { shownItem, type ShownItem } from "../domain/serializers/item-view.ts";
import { contentType, dispositionHeader } from "./formats.ts";
import type { Asked } from "./items-query-context.ts";
import { labelFacets } from "./facet-labels.ts";
import { linkHeader, pageLinks, type PageLinks } from "./page-links.ts";

/** Synchronous when all items are in memory. */
export function renderPage(asked: Asked): FastifyReply | Promise<FastifyReply> {
  const page = asked.catalogue.search(asked.query);
  return page instanceof Promise ? page.then((found) => answer(asked, found)) : answer(asked, page);
}

function answer(asked: Asked, page: Page): FastifyReply | Promise<FastifyReply> {
  const { catalogue, exchange, query, request } = asked;
  if (page.total > query.offset) exchange.caller.refuseExhausted();
  if (request.facets.length === 0) return send(asked, page, null);
  return catalogue.facets(query, request.facets).then((facets) => send(asked, page, facets));
}

function send(asked: Asked, page: Page, facets: Facets | null): FastifyReply | Promise<FastifyReply> {
  const { exchange, query, request } = asked;
  const { caller, reply } = exchange;
  caller.note({ items: exchange.request.method === "HEAD" ? 0 : page.hits.length, geo: query.near !== null });
  const wanted = request.limit === "all" ? query.limit : request.limit;
  const links = pageLinks(exchange.request, asked.origin, {
    offset: query.offset,
    limit: wanted,
    returned: page.hits.length,
    total: page.total,
  });
  const headers = {
    ...asked.headers,
    ...dispositionHeader(asked.format),
    "content-type": contentType(asked.format),
    link: linkHeader(links),
  };
  reply.headers(headers);
  const found = body(asked, { page, facets, links });
  if (Buffer.isBuffer(found))
    asked.keep({ body: found, headers, items: page.hits.length, holdsItems: page.total > query.offset });
  // As bytes: Fastify adds a charset to strings, which GeoJSON and NDJSON do not have.
  if (found instanceof Promise) return found.then((text) => reply.send(Buffer.from(text)));
  return reply.send(Buffer.isBuffer(found) ? found : Buffer.from(found));
}

interface Found {
  readonly page: Page;
  readonly facets: Facets | null;
  readonly links: PageLinks;
}

function body(asked: Asked, found: Found): Buffer | string | Promise<string> {
  const { page } = found;
  switch (asked.format) {
    case "json":
      return json(asked, found);
    case "geojson":
      return geojson(asked, found);
    case "csv": {
      countHeaders(asked, page.total);
      const columns = csvColumns({
        variant: asked.query.variant,
        fields: asked.request.fields,
        withDistance: asked.query.near !== null,
      });
      return (
        csvHeader(columns) +
        shown(asked, page)
          .map((item) => csvRow(columns, item))
          .join("")
      );
    }
    case "ndjson":
      countHeaders(asked, page.total);
      return shown(asked, page)
        .map((item) => `${JSON.stringify(item)}\n`)
        .join("");
  }
}

function json(asked: Asked, { page, facets, links }: Found): Buffer {
  const { query, request } = asked;
  const envelope = {
    total: page.total,
    limit: query.limit,
    offset: query.offset,
    links,
    query: {
      ...request.echo,
      ...(page.corrected && { corrected: page.corrected }),
      ...(page.unknownTags.length > 0 && { unknown_tags: page.unknownTags }),
    },
    ...(facets && { facets: labelFacets(facets, asked.language) }),
    version: asked.catalogue.version().id,
    quota_truncated: query.limit !== request.limit,
  };
  return request.fields === null
    ? jsonPage(page.hits, asked.origin, envelope)
    : jsonPageOf(shown(asked, page), envelope);
}

async function geojson(asked: Asked, { page, links }: Found): Promise<string> {
  const features = shown(asked, page).map((item) => JSON.stringify(toFeature(item)));
  const [head, tail] = collectionFrame(
    await collectionHead(asked, { total: page.total, returned: features.length, links }),
  );
  return head + features.join(",") + tail;
}

export interface Extent {
  readonly total: number;
  readonly returned: number;
  readonly links: PageLinks;
}

export async function collectionHead(asked: Asked, { total, returned, links }: Extent) {
  const meta = await asked.catalogue.meta();
  return {
    numberMatched: total,
    numberReturned: returned,
    timeStamp: new Date().toISOString(),
    links: Object.entries(links)
      .filter((link): link is [string, string] => link[1] !== null)
      .map(([rel, href]) => ({ rel, href, type: "application/geo+json" })),
    attribution: meta.attribution,
    licence: meta.licences,
    version: asked.catalogue.version().id,
  };
}

/** Formats without an envelope carry its counts in headers. */
export function countHeaders(asked: Asked, total: number): void {
  asked.exchange.reply.headers({ "X-Total-Count": String(total), "X-Offset": String(asked.query.offset) });
}

function shown(asked: Asked, page: Page): ShownItem[] {
  return page.hits.map((hit) => shownItem(hit, { fields: asked.request.fields, origin: asked.origin }));
}
