import type { AnswerOf, getMeta } from "@triptych/contracts";
import type { RequestContext } from "@triptych/server";
import type { FastifyReply } from "fastify";
import type { Catalogue } from "../domain/catalogue.ts";
import { DEPARTEMENTS, REGIONS, regionByCode } from "../domain/reference.ts";
import { requireCatalogue, type AppContext, type Caller } from "./caller.ts";
import { cacheHeaders, etagOf, isFresh, notModified } from "./etag.ts";

export function metaHandler(served: AppContext) {
  return async ({
    reply,
    request,
  }: RequestContext<typeof getMeta, Caller>): Promise<FastifyReply | AnswerOf<typeof getMeta>> => {
    const catalogue = requireCatalogue(served);
    const headers = cacheHeaders(catalogue.version(), etagOf(catalogue.version(), "meta"));
    if (isFresh(request, headers.etag)) return notModified(reply, headers);
    reply.headers(headers);
    return describe(catalogue);
  };
}

async function describe(catalogue: Catalogue): Promise<AnswerOf<typeof getMeta>> {
  const meta = await catalogue.meta();
  const { all, actor, place, article, located } = meta.totals;
  const version = catalogue.version();
  const publishedAt = new Date(version.publishedAt).toISOString();
  return {
    version: version.id,
    generated_at: publishedAt,
    updated_at: meta.updatedAt > 0 ? new Date(meta.updatedAt).toISOString() : publishedAt,
    totals: { all, actor, place, article, located },
    departements: DEPARTEMENTS.map(({ code, slug, nom, region }) => ({
      code,
      slug,
      nom,
      region: regionByCode(region)?.slug ?? region,
      count: meta.departements[code] ?? 0,
    })),
    regions: REGIONS.map(({ code, slug, nom }) => ({ code, slug, nom, count: meta.regions[code] ?? 0 })),
    tags: [...meta.tags],
    bbox: meta.bbox === null ? null : [...meta.bbox],
    licence: [...meta.licences],
    attribution: [...meta.attribution],
  };
}
