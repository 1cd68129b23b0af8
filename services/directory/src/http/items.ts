import { LIST_FORMATS, type getItems } from "@triptych/contracts";
import type { RequestContext, ValidationErrors } from "@triptych/server";
import type { FastifyReply } from "fastify";
import type { NormalQuery } from "../domain/catalogue.ts";
import type { ItemsQueryContext } from "./items-query-context.ts";
import type { Caller } from "./caller.ts";
import { cacheHeaders, etagOf, isFresh, notModified } from "./etag.ts";
import { chooseFormat, noFormatAccepted } from "./formats.ts";
import { languageOf } from "./facet-labels.ts";
import { cacheKeyOf, sendCached, type PageCache } from "./page-cache.ts";
import { requirePlan } from "./plan-check.ts";
import { readItemsQuery, type ItemsRequest } from "./read-items-query.ts";
import { renderPage } from "./render-page.ts";
import { requireCatalogue, type AppContext } from "./app-context.ts";
import { streamEverything } from "./stream-export.ts";

export function itemsHandler(served: AppContext, pages: PageCache) {
  return {
    handle(
      context: RequestContext<typeof getItems, Caller>,
      errors: ValidationErrors,
    ): FastifyReply | Promise<FastifyReply> {
      const { caller, reply } = context;
      const asking = cacheKeyOf(context);
      const present = served.catalogue();
      const cached = asking !== null && present !== null ? pages.find(present.version(), asking) : undefined;
      if (cached !== undefined) return sendCached(context, cached);

      const request = readItemsQuery(context.query, errors);
      const format = chooseFormat(context.request, context.query.format, LIST_FORMATS);
      if (request.limit === "all" && format === "json") errors.add(ALL_NEEDS_A_STREAM);
      errors.refuse();
      if (format === null) throw noFormatAccepted(LIST_FORMATS);
      requirePlan(caller.plan, request);

      const catalogue = requireCatalogue(served);
      const query = normalQuery(caller, request);
      const { facets, fields, filters, offset, sort } = request;
      const language = languageOf(context.request);
      // Only facet labels depend on the language; pages without facets are shared between languages.
      const shape = [
        caller.plan.id,
        format,
        fields,
        filters,
        sort,
        facets,
        offset,
        ...(facets.length > 0 ? [language] : []),
      ];
      const tag = (limit: number | "all") => etagOf(catalogue.version(), [...shape, limit]);
      const applied = tag(request.limit === "all" ? "all" : query.limit);
      const headers = cacheHeaders(catalogue.version(), applied, facets.length > 0);
      caller.note({ items: 0, geo: request.filters.near !== null });
      // A client with the complete page needs no new one, even if the quota would now cut it.
      const isCut = request.limit !== "all" && query.limit !== request.limit;
      if (isFresh(context.request, headers.etag) || (isCut && isFresh(context.request, tag(request.limit)))) {
        return notModified(reply, headers);
      }

      const keep: ItemsQueryContext["keep"] = (page) => {
        const tags = isCut ? [headers.etag, tag(request.limit)] : [headers.etag];
        const geo = request.filters.near !== null;
        if (asking !== null) pages.keep(catalogue.version(), asking, { ...page, tags, geo });
      };
      const queryContext = {
        context,
        request,
        format,
        catalogue,
        query,
        origin: served.origin(),
        language,
        headers,
        keep,
      };
      return request.limit === "all" ? streamEverything(queryContext) : renderPage(queryContext);
    },
  };
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
