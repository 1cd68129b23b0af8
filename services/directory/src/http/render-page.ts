import type { FastifyReply } from "fastify";
import type { Facets, Page } from "../domain/catalogue.ts";
import { csvColumns, csvHeader, csvRow } from "../domain/serializers/csv.ts";
import { collectionFrame, toFeature } from "../domain/serializers/geojson.ts";
import { jsonPage, jsonPageOf } from "../domain/serializers/json-page.ts";
import { projectItem, type ProjectedItem } from "../domain/serializers/item-view.ts";
import { contentType, dispositionHeader } from "./formats.ts";
import type { ItemsQueryContext } from "./items-query-context.ts";
import { labelFacets } from "./facet-labels.ts";
import { linkHeader, pageLinks, type PageLinks } from "./page-links.ts";

/** Synchronous when all items are in memory. */
export function renderPage(queryContext: ItemsQueryContext): FastifyReply | Promise<FastifyReply> {
  const page = queryContext.catalogue.search(queryContext.query);
  return page instanceof Promise ? page.then((found) => answer(queryContext, found)) : answer(queryContext, page);
}

function answer(queryContext: ItemsQueryContext, page: Page): FastifyReply | Promise<FastifyReply> {
  const { catalogue, context, query, request } = queryContext;
  if (page.total > query.offset) context.caller.refuseExhausted();
  if (request.facets.length === 0) return send(queryContext, page, null);
  return catalogue.facets(query, request.facets).then((facets) => send(queryContext, page, facets));
}

function send(
  queryContext: ItemsQueryContext,
  page: Page,
  facets: Facets | null,
): FastifyReply | Promise<FastifyReply> {
  const { context, query, request } = queryContext;
  const { caller, reply } = context;
  caller.note({ items: context.request.method === "HEAD" ? 0 : page.hits.length, geo: query.near !== null });
  const requested = request.limit === "all" ? query.limit : request.limit;
  const links = pageLinks(context.request, queryContext.origin, {
    offset: query.offset,
    limit: requested,
    returned: page.hits.length,
    total: page.total,
  });
  const headers = {
    ...queryContext.headers,
    ...dispositionHeader(queryContext.format),
    "content-type": contentType(queryContext.format),
    link: linkHeader(links),
  };
  reply.headers(headers);
  const found = body(queryContext, { page, facets, links });
  if (Buffer.isBuffer(found))
    queryContext.keep({ body: found, headers, items: page.hits.length, holdsItems: page.total > query.offset });
  // As bytes: Fastify adds a charset to strings, which GeoJSON and NDJSON do not have.
  if (found instanceof Promise) return found.then((text) => reply.send(Buffer.from(text)));
  return reply.send(Buffer.isBuffer(found) ? found : Buffer.from(found));
}

interface Found {
  readonly page: Page;
  readonly facets: Facets | null;
  readonly links: PageLinks;
}

function body(queryContext: ItemsQueryContext, found: Found): Buffer | string | Promise<string> {
  const { page } = found;
  switch (queryContext.format) {
    case "json":
      return json(queryContext, found);
    case "geojson":
      return geojson(queryContext, found);
    case "csv": {
      countHeaders(queryContext, page.total);
      const columns = csvColumns({
        variant: queryContext.query.variant,
        fields: queryContext.request.fields,
        withDistance: queryContext.query.near !== null,
      });
      return (
        csvHeader(columns) +
        projectItems(queryContext, page)
          .map((item) => csvRow(columns, item))
          .join("")
      );
    }
    case "ndjson":
      countHeaders(queryContext, page.total);
      return projectItems(queryContext, page)
        .map((item) => `${JSON.stringify(item)}\n`)
        .join("");
  }
}

function json(queryContext: ItemsQueryContext, { page, facets, links }: Found): Buffer {
  const { query, request } = queryContext;
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
    ...(facets && { facets: labelFacets(facets, queryContext.language) }),
    version: queryContext.catalogue.version().id,
    quota_truncated: query.limit !== request.limit,
  };
  return request.fields === null
    ? jsonPage(page.hits, queryContext.origin, envelope)
    : jsonPageOf(projectItems(queryContext, page), envelope);
}

async function geojson(queryContext: ItemsQueryContext, { page, links }: Found): Promise<string> {
  const features = projectItems(queryContext, page).map((item) => JSON.stringify(toFeature(item)));
  const [head, tail] = collectionFrame(
    await collectionHead(queryContext, { total: page.total, returned: features.length, links }),
  );
  return head + features.join(",") + tail;
}

export interface Extent {
  readonly total: number;
  readonly returned: number;
  readonly links: PageLinks;
}

export async function collectionHead(queryContext: ItemsQueryContext, { total, returned, links }: Extent) {
  const meta = await queryContext.catalogue.meta();
  return {
    numberMatched: total,
    numberReturned: returned,
    timeStamp: new Date().toISOString(),
    links: Object.entries(links)
      .filter((link): link is [string, string] => link[1] !== null)
      .map(([rel, href]) => ({ rel, href, type: "application/geo+json" })),
    attribution: meta.attribution,
    licence: meta.licences,
    version: queryContext.catalogue.version().id,
  };
}

/** Formats without an envelope carry its counts in headers. */
export function countHeaders(queryContext: ItemsQueryContext, total: number): void {
  queryContext.context.reply.headers({
    "X-Total-Count": String(total),
    "X-Offset": String(queryContext.query.offset),
  });
}

function projectItems(queryContext: ItemsQueryContext, page: Page): ProjectedItem[] {
  return page.hits.map((hit) => projectItem(hit, { fields: queryContext.request.fields, origin: queryContext.origin }));
}
