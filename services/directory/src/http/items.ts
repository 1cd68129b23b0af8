import { LIST_FORMATS, type getItems } from "@triptych/contracts";
import type { RequestContext, ValidationErrors } from "@triptych/server";
import type { FastifyReply } from "fastify";
import type { NormalQuery } from "../domain/catalogue.ts";
import { catalogueOf, isGeographic, requirePlan, type AppContext, type Caller } from "./caller.ts";
import { cacheHeaders, etagOf, isFresh, notModified } from "./etag.ts";
import { chooseFormat, languageOf, noFormatAccepted } from "./formats.ts";
import type { PageCache } from "./page-cache.ts";
import { selfLink } from "./page-links.ts";
import type { DirectoryMetrics } from "../metrics.ts";
import { applySince } from "./since.ts";
import { readItemsQuery, type ItemsRequest, type QueryContext } from "./read-items-query.ts";
import { renderPage, type PageRequest } from "./render-page.ts";
import { streamEverything } from "./stream-export.ts";

/** Order after authentication and rate limit: validation, plan, quota, client's cache, page cache, work. */
export function itemsHandler(
  served: AppContext,
  pages: PageCache,
  metrics: Pick<DirectoryMetrics, "searched" | "timeSearch">,
) {
  return {
    async handle(context: RequestContext<typeof getItems, Caller>, errors: ValidationErrors): Promise<FastifyReply> {
      const { caller, reply, request } = context;
      const getCatalogue = catalogueOf(served);
      const { parsed: itemsRequest, format } = await readRequest(context, {
        errors,
        catalogue: getCatalogue,
        synonyms: served.synonyms(),
      });
      requirePlan(caller.plan, itemsRequest);
      // A client that has the current page gets a 304 without items, even if its quota is used up.
      const isConditional = request.headers["if-none-match"] !== undefined;
      if (!isConditional) caller.requireQuota();

      const catalogue = getCatalogue();
      const parsed = await applySince(itemsRequest, served.changes, catalogue.version());
      const query = normalQuery(caller, parsed);
      const geo = isGeographic(query);
      const page: PageRequest = {
        catalogue,
        query,
        parsed,
        format,
        origin: served.origin(),
        self: selfLink(request, served.origin()),
        language: languageOf(request),
      };
      const { tag, accepted } = tagsOf(caller, page);
      const headers = cacheHeaders(catalogue.version(), tag, parsed.facets.length > 0);
      if (accepted.some((etag) => isFresh(request, etag))) {
        caller.record({ items: 0, format, geo });
        return notModified(reply, headers);
      }

      reply.headers(headers);
      if (parsed.limit === "all") {
        metrics.searched("streamed");
        return streamEverything(context, page, served.changes);
      }
      let isCached = true;
      const rendered = await pages(`${tag} ${page.self}`, () => {
        isCached = false;
        return metrics.timeSearch(() => renderPage(page));
      });
      metrics.searched(isCached ? "cached" : "computed");
      if (rendered.total > query.offset) caller.requireQuota();
      const items = request.method === "HEAD" ? 0 : rendered.items;
      caller.record({ items, format, geo });
      return reply.headers(caller.entry.fields(items)).headers(rendered.headers).send(rendered.body);
    },
  };
}

async function readRequest({ query, request }: RequestContext<typeof getItems, Caller>, context: QueryContext) {
  const { errors } = context;
  const parsed = await readItemsQuery(query, context);
  const format = chooseFormat(request, query.format, LIST_FORMATS);
  if (parsed.limit === "all" && parsed.ids === null && format === "json") errors.add(ALL_NEEDS_A_STREAM);
  errors.refuse();
  if (format === null) throw noFormatAccepted(LIST_FORMATS);
  return { parsed, format };
}

/** JSON would need every match in memory. */
const ALL_NEEDS_A_STREAM = {
  path: "?limit",
  reason: "needs_format",
  message: "`limit=all` streams every match; use it with format=csv, ndjson or geojson.",
  allowed: ["csv", "ndjson", "geojson"],
};

function normalQuery(caller: Caller, request: ItemsRequest): NormalQuery {
  const requested = request.limit === "all" ? Number.MAX_SAFE_INTEGER : request.limit;
  return {
    ...request.filters,
    sort: request.sort,
    offset: request.offset,
    limit: Math.min(requested, caller.granted),
    variant: caller.plan.variant,
  };
}

/** The page's tag, and those of a client that needs no new page: also that of the page without the quota's cut. */
function tagsOf(caller: Caller, { catalogue, query, parsed, format, language }: PageRequest) {
  const { facets, fields, filters, highlight, ids, offset, sort, limit } = parsed;
  // Only facet labels depend on the language; pages without facets are shared between languages.
  const labels = [...(facets.length > 0 ? [language] : []), ...(highlight ? ["highlight"] : [])];
  const shape = [caller.plan.id, format, fields, filters, ids, sort, facets, offset, ...labels];
  const tagOf = (applied: number | "all") => etagOf(catalogue.version(), [...shape, applied]);
  const tag = tagOf(limit === "all" ? "all" : query.limit);
  const isCut = limit !== "all" && limit !== query.limit;
  return { tag, accepted: isCut ? [tag, tagOf(limit)] : [tag] };
}
