import { ITEM_FORMATS, type ItemFormat, type getItem } from "@triptych/contracts";
import { Problem, type RequestContext } from "@triptych/server";
import type { FastifyReply } from "fastify";
import type { Catalogue } from "../domain/catalogue.ts";
import { toFeature } from "../domain/serializers/geojson.ts";
import { toJsonLd } from "../domain/serializers/json-ld.ts";
import { projectItem } from "../domain/serializers/json.ts";
import { withOrigin } from "../domain/index/item-json.ts";
import { requireCatalogue, requireFields, type AppContext, type Caller } from "./caller.ts";
import { cacheHeaders, etagOf, isFresh, notModified } from "./etag.ts";
import { chooseFormat, contentType, noFormatAccepted } from "./formats.ts";

type ItemContext = RequestContext<typeof getItem, Caller>;

export function itemHandler(served: AppContext) {
  return async (context: ItemContext): Promise<FastifyReply> => {
    const { caller, params, query, reply, request } = context;
    const format = chooseFormat(request, query.format, ITEM_FORMATS);
    if (format === null) throw noFormatAccepted(ITEM_FORMATS);
    const catalogue = requireCatalogue(served);
    const json = await catalogue.get(params.type, params.slug, caller.plan.variant);
    if (json === null) throw await itemNotFound(catalogue, params);
    const fields = query.fields ?? null;
    requireFields(caller.plan, fields);

    const shape = [caller.plan.id, format, fields && [...fields].sort(), params.type, params.slug];
    const headers = cacheHeaders(catalogue.version(), etagOf(catalogue.version(), shape));
    if (isFresh(request, headers.etag)) return notModified(reply, headers);
    caller.requireQuota();
    const items = request.method === "HEAD" ? 0 : 1;
    caller.record({ items, format, geo: false });
    reply.headers({ ...headers, ...caller.entry.fields(items), "content-type": contentType(format) });
    return reply.send(body(format, { json, fields, origin: served.origin() }));
  };
}

interface Found {
  readonly json: Uint8Array;
  readonly fields: readonly string[] | null;
  readonly origin: string;
}

function body(format: ItemFormat, { json, fields, origin }: Found): Buffer {
  if (format === "json" && fields === null) return withOrigin({ json, distanceKm: null }, origin);
  const item = projectItem({ json, distanceKm: null }, { fields, origin });
  switch (format) {
    case "json":
      return Buffer.from(JSON.stringify(item));
    case "geojson":
      return Buffer.from(JSON.stringify(toFeature(item)));
    case "ld+json":
      return Buffer.from(JSON.stringify(toJsonLd(item)));
  }
}

async function itemNotFound(catalogue: Catalogue, { type, slug }: ItemContext["params"]): Promise<Problem> {
  const suggestions = await catalogue.nearestSlugs(type, slug, 3);
  const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(", ")}?` : "";
  return new Problem("item_not_found", { detail: `No ${type} has this slug.${hint}`, members: { suggestions } });
}
