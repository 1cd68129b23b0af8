import {
  ALL_FIELD_NAMES,
  FACETS,
  ITEM_FORMATS,
  LIMIT_DEFAULT,
  LIMIT_MAX,
  LIST_FORMATS,
  MEDIA_TYPES,
  OFFSET_MAX,
  RADIUS_DEFAULT_KM,
  RADIUS_MAX_KM,
  SORTS,
  directoryContract,
  SUMMARY_FIELD_NAMES,
  type AnswerOf,
  type Endpoint,
  type getDiscovery,
} from "@triptych/contracts";
import { acceptedMedia, type RequestContext } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Language } from "../domain/language.ts";
import { PLANS, type Plan } from "../domain/plans.ts";
import type { AppContext } from "./caller.ts";
import { programLanguageOf } from "./formats.ts";
import { frenchContract } from "../french/french-contract.ts";

export interface DiscoveryFacts {
  readonly contact: string | null;
  readonly sendPage: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
}

export function discoveryHandler(served: AppContext, { contact, sendPage }: DiscoveryFacts) {
  return async ({
    request,
    reply,
  }: RequestContext<typeof getDiscovery, unknown>): Promise<AnswerOf<typeof getDiscovery> | FastifyReply> => {
    const language = programLanguageOf(request);
    reply.headers({ Vary: "Accept, Accept-Language" });
    // Browsers ask for HTML explicitly; without `Accept` the response is JSON.
    if (acceptedMedia(request, ["application/json", "text/html"]) === "text/html") return sendPage(request, reply);
    reply.header("Content-Language", language);
    const origin = served.origin();
    const texts = TEXTS[language];
    const contract = language === "fr" ? frenchContract : directoryContract;
    return {
      name: contract.title,
      api_version: directoryContract.version,
      base_url: origin,
      documentation: `${origin}/api/docs`,
      openapi: `${origin}/api/openapi.json`,
      map: `${origin}/carte`,
      contact,
      licence: texts.licence,
      authentication: (contract.credentials["key"] ?? []).map((carrier) => ({ ...carrier })),
      plans: Object.values(PLANS).map(describePlan),
      endpoints: contract.endpoints.map((endpoint) => describeEndpoint(endpoint, origin)),
      formats: {
        items: LIST_FORMATS.map((format) => ({ format, media_type: MEDIA_TYPES[format] })),
        item: ITEM_FORMATS.map((format) => ({ format, media_type: MEDIA_TYPES[format] })),
      },
      limits: {
        limit: { default: LIMIT_DEFAULT, maximum: LIMIT_MAX },
        offset: { default: 0, maximum: OFFSET_MAX },
        radius_km: { default: RADIUS_DEFAULT_KM, maximum: RADIUS_MAX_KM },
        url_bytes: 8192,
        sorts: SORTS,
        facets: FACETS,
        window: texts.window,
        day: texts.day,
      },
    };
  };
}

const TEXTS: Readonly<Record<Language, Readonly<Record<"licence" | "window" | "day", string>>>> = {
  en: {
    licence: "Each item has its own license in `licence` and `sources`; /api/meta lists them.",
    window: "at most the plan's requests in any 60 seconds",
    day: "UTC calendar day",
  },
  fr: {
    licence: "Chaque élément a sa propre licence dans `licence` et `sources` ; /api/meta les liste.",
    window: "au plus le nombre de requêtes du plan en 60 secondes, à tout moment",
    day: "jour calendaire UTC",
  },
};

function describePlan(plan: Plan): Record<string, unknown> {
  return {
    id: plan.id,
    items_per_day: plan.itemsPerDay,
    fields: plan.variant === "all" ? "all" : "summary",
    field_names: plan.variant === "all" ? ALL_FIELD_NAMES : SUMMARY_FIELD_NAMES,
    geo: plan.geo,
    export: plan.export,
    requests_per_minute: plan.requestsPerMinute,
    price: plan.price,
  };
}

function describeEndpoint(endpoint: Endpoint, origin: string): Record<string, unknown> {
  const parameters = { ...endpoint.params?.properties, ...endpoint.query?.properties };
  return {
    method: endpoint.method,
    path: endpoint.path,
    summary: endpoint.summary,
    parameters: Object.entries(parameters).map(([name, schema]) => {
      const { description, ...rest } = schema as Record<string, unknown>;
      return { name, description: description ?? null, schema: rest };
    }),
    example: endpoint.examples?.[0] === undefined ? null : `${origin}${endpoint.examples[0]}`,
  };
}
