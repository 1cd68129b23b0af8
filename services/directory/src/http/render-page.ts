/** Renders one page of a list in any format. */
import type { ListFormat } from "@triptych/contracts";
import type { Catalogue, Facets, NormalQuery, Page } from "../domain/catalogue.ts";
import type { Language } from "../domain/language.ts";
import { csvColumns, csvHeader, csvRow } from "../domain/serializers/csv.ts";
import { collectionFrame, toFeature } from "../domain/serializers/geojson.ts";
import { jsonPage, jsonPageOf, projectItem, type ProjectedItem } from "../domain/serializers/json.ts";
import { TYPE_NAMES } from "../pages/item-page-texts.ts";
import { contentType, dispositionHeader } from "./formats.ts";
import { createHighlighter, withHighlights, type Highlighter } from "./highlight.ts";
import { linkHeader, pageLinks, type PageLinks } from "./page-links.ts";
import { findByIds } from "./read-ids.ts";
import type { ItemsRequest } from "./read-items-query.ts";

export interface PageRequest {
  readonly catalogue: Catalogue;
  readonly query: NormalQuery;
  readonly parsed: ItemsRequest;
  readonly format: ListFormat;
  readonly origin: string;
  readonly self: string;
  readonly language: Language;
}

export interface RenderedPage {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly items: number;
  readonly total: number;
}

export async function renderPage(request: PageRequest): Promise<RenderedPage> {
  const { catalogue, query, parsed } = request;
  const { missing, ...page } =
    parsed.ids === null
      ? { ...(await catalogue.search(query)), missing: null }
      : await findByIds(catalogue, parsed.ids, query);
  const facets = parsed.facets.length === 0 ? null : await catalogue.facets(query, parsed.facets);
  const links = pageLinks(request.self, {
    offset: query.offset,
    limit: parsed.limit === "all" ? query.limit : parsed.limit,
    returned: page.hits.length,
    total: page.total,
  });
  return {
    body: await render(request, { page, facets, links, missing }),
    headers: { ...listHeaders(request, links, page.total), ...missingHeader(request.format, missing) },
    items: page.hits.length,
    total: page.total,
  };
}

/** Formats without an envelope carry its counts in headers. */
export function listHeaders({ format, query }: PageRequest, links: PageLinks, total: number): Record<string, string> {
  return {
    ...((format === "csv" || format === "ndjson") && {
      "x-total-count": String(total),
      "x-offset": String(query.offset),
    }),
    ...dispositionHeader(format),
    "content-type": contentType(format),
    link: linkHeader(links),
  };
}

function missingHeader(format: ListFormat, missing: Found["missing"]): Record<string, string> {
  const hasEnvelope = format === "json" || format === "geojson";
  return missing === null || hasEnvelope ? {} : { "x-missing-count": String(missing.length) };
}

interface Found {
  readonly page: Page;
  /** Null without `ids`. */
  readonly missing: readonly string[] | null;
  readonly facets: Facets | null;
  readonly links: PageLinks;
}

/** As bytes: Fastify adds a charset to strings, which GeoJSON and NDJSON do not have. */
async function render(request: PageRequest, found: Found): Promise<Buffer> {
  if (request.format === "json") return json(request, found);
  const { page, links, missing } = found;
  const { head, tail, separator, row } = await listText(request, {
    total: page.total,
    returned: page.hits.length,
    links,
    missing,
  });
  return Buffer.from(head + projectItems(request, page).map(row).join(separator) + tail);
}

function json(request: PageRequest, { page, facets, links, missing }: Found): Buffer {
  const { query, parsed, origin, catalogue, language } = request;
  const envelope = {
    total: page.total,
    limit: query.limit,
    offset: query.offset,
    links,
    query: {
      ...parsed.echo,
      ...(page.corrected && { corrected: page.corrected }),
      ...(page.relaxed && { relaxed: page.relaxed }),
      ...(page.unknownTags.length > 0 && { unknown_tags: page.unknownTags }),
    },
    ...(facets && { facets: labelFacets(facets, language) }),
    ...(missing && { missing }),
    version: catalogue.version().id,
    quota_truncated: query.limit !== parsed.limit,
  };
  return parsed.fields === null && !parsed.highlight
    ? jsonPage(page.hits, origin, envelope)
    : jsonPageOf(projectItems(request, page), envelope);
}

function projectItems({ parsed, origin, query }: PageRequest, page: Page): ProjectedItem[] {
  const highlight = highlighterOf(parsed, query, page);
  return page.hits.map((hit) => withHighlights(projectItem(hit, { fields: parsed.fields, origin }), hit, highlight));
}

export function highlighterOf(
  { highlight }: ItemsRequest,
  { text }: NormalQuery,
  { corrected, relaxed }: Pick<Page, "corrected" | "relaxed">,
): Highlighter | null {
  return highlight && text !== null ? createHighlighter(text, { ...corrected, ...relaxed?.corrected }) : null;
}

/** The text of a list around and between its rows, for pages and streams. */
export interface ListText {
  readonly head: string;
  readonly tail: string;
  readonly separator: string;
  readonly row: (item: ProjectedItem) => string;
}

export interface Extent {
  readonly total: number;
  readonly returned: number;
  readonly links: PageLinks;
  readonly missing: Found["missing"];
}

export async function listText({ format, query, parsed, catalogue }: PageRequest, extent: Extent): Promise<ListText> {
  switch (format) {
    case "csv": {
      const columns = csvColumns({
        variant: query.variant,
        fields: parsed.fields,
        withDistance: query.near !== null,
      });
      return { head: csvHeader(columns), tail: "", separator: "", row: (item) => csvRow(columns, item) };
    }
    case "geojson": {
      const [head, tail] = collectionFrame(await collectionHead(catalogue, extent));
      return { head, tail, separator: ",", row: (item) => JSON.stringify(toFeature(item)) };
    }
    case "ndjson":
    case "json":
      return { head: "", tail: "", separator: "", row: (item) => `${JSON.stringify(item)}\n` };
  }
}

async function collectionHead(catalogue: Catalogue, { total, returned, links, missing }: Extent) {
  const meta = await catalogue.meta();
  return {
    numberMatched: total,
    numberReturned: returned,
    timeStamp: new Date().toISOString(),
    links: Object.entries(links)
      .filter((link): link is [string, string] => link[1] !== null)
      .map(([rel, href]) => ({ rel, href, type: "application/geo+json" })),
    attribution: meta.attribution,
    licence: meta.licences,
    ...(missing && { missing }),
    version: catalogue.version().id,
  };
}

/** Names of places and tags are data and are not translated. */
function labelFacets(facets: Facets, language: Language): Facets {
  if (language === "fr" || facets.type === undefined) return facets;
  const labels = new Map<string, string>(Object.entries(TYPE_NAMES.en));
  return { ...facets, type: facets.type.map((entry) => ({ ...entry, label: labels.get(entry.value) ?? entry.label })) };
}
