/** Mounts the public pages of items, and what search engines read: robots.txt, sitemaps, favicon. */
import { ITEM_TYPES, SLUG_PATTERN, type ItemType, type SummaryItem } from "@triptych/contracts";
import { Problem, sendPage, type Server } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Catalogue } from "../domain/catalogue.ts";
import type { Language } from "../domain/language.ts";
import { toJsonLd } from "../domain/serializers/json-ld.ts";
import { SLUG_MAX } from "../domain/slug.ts";
import { FAVICON } from "../pages/favicon.ts";
import { itemPage, missingItemPage } from "../pages/item-page.ts";
import type { FindFormerAddress } from "../domain/changes.ts";
import { requireCatalogue, type AppContext, type Caller } from "./caller.ts";
import { etagOf, isFresh } from "./etag.ts";
import { languageOf } from "./formats.ts";
import { createSitemaps } from "./sitemaps.ts";

const SLUG = new RegExp(SLUG_PATTERN);
const CACHE_CONTROL = "public, max-age=300";

export interface ItemPageParts extends Pick<AppContext, "catalogue" | "origin"> {
  readonly formerAddress: FindFormerAddress;
}

export function mountItemPages(server: Server<Caller>, parts: ItemPageParts): void {
  const sitemaps = createSitemaps();
  server.mountDocument("/fiche/{type}/{slug}", (request, reply) => answerItem(request, reply, parts));
  server.mountDocument("/favicon.ico", (_request, reply) =>
    reply.headers({ "cache-control": "public, max-age=86400" }).type("image/x-icon").send(FAVICON),
  );
  server.mountDocument("/robots.txt", (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send(robotsText(parts.origin())),
  );
  server.mountDocument("/sitemap.xml", async (request, reply) => {
    const catalogue = requireCatalogue(parts);
    return sendXml(request, reply, catalogue, () => sitemaps.index(catalogue, parts.origin()));
  });
  server.mountDocument("/sitemap/{page}", async (request, reply) => {
    const catalogue = requireCatalogue(parts);
    const { page } = request.params as Readonly<Record<string, string>>;
    return sendXml(request, reply, catalogue, () => sitemaps.page(catalogue, parts.origin(), page));
  });
}

function robotsText(origin: string): string {
  const rules = ["User-agent: *", "Allow: /", "Allow: /api/docs", "Disallow: /api/"];
  return `${rules.join("\n")}\n\nSitemap: ${origin}/sitemap.xml\n`;
}

async function sendXml(
  request: FastifyRequest,
  reply: FastifyReply,
  catalogue: Catalogue,
  render: () => Promise<string | null>,
): Promise<FastifyReply> {
  const etag = etagOf(catalogue.version(), [request.url]);
  reply.headers({ etag, "cache-control": CACHE_CONTROL });
  if (isFresh(request, etag)) return reply.code(304).send();
  const text = await render();
  if (text === null) throw new Problem("not_found");
  return reply.type("application/xml; charset=utf-8").send(text);
}

async function answerItem(request: FastifyRequest, reply: FastifyReply, parts: ItemPageParts): Promise<FastifyReply> {
  const catalogue = requireCatalogue(parts);
  const language = languageOf(request);
  reply.headers({ vary: "Accept-Language, Accept-Encoding", "content-language": language });
  const { type: typeName, slug } = request.params as Readonly<Record<string, string>>;
  const type = ITEM_TYPES.find((itemType) => itemType === typeName);
  if (type === undefined || slug === undefined || slug.length > SLUG_MAX || !SLUG.test(slug))
    return sendPage(reply.code(404), missingItemPage(language, "unknown"));
  const json = await catalogue.get(type, slug, "summary");
  if (json === null)
    return answerFormerAddress({ type, slug }, { reply, language, version: catalogue.version().number, parts });

  const etag = etagOf(catalogue.version(), ["fiche", type, slug, language]);
  reply.headers({ etag, "cache-control": CACHE_CONTROL });
  if (isFresh(request, etag)) return reply.code(304).send();
  return sendPage(reply, await renderItem(catalogue, json, { origin: parts.origin(), language }));
}

async function renderItem(
  catalogue: Catalogue,
  json: Uint8Array,
  { origin, language }: { readonly origin: string; readonly language: Language },
): Promise<string> {
  // The engine's own JSON, with the fields of every plan.
  const item = JSON.parse(Buffer.from(json).toString()) as SummaryItem;
  const canonical = `${origin}/fiche/${item.type}/${item.slug}`;
  const { tags, attribution } = await catalogue.meta();
  return itemPage({
    item,
    jsonLd: toJsonLd({ ...item, url: canonical }),
    tagLabel: (slug) => tags.find((tag) => tag.slug === slug)?.label ?? slug,
    canonical,
    language,
    attribution: attribution.slice(0, ATTRIBUTION_MAX),
  });
}

const ATTRIBUTION_MAX = 10;

interface FormerAddressContext {
  readonly reply: FastifyReply;
  readonly language: Language;
  readonly version: number;
  readonly parts: ItemPageParts;
}

async function answerFormerAddress(
  address: { readonly type: ItemType; readonly slug: string },
  { reply, language, version, parts }: FormerAddressContext,
): Promise<FastifyReply> {
  const former = await parts.formerAddress(address, version);
  if (former?.state === "moved") return reply.redirect(`/fiche/${former.to.type}/${former.to.slug}`, 308);
  const state = former === null ? "unknown" : "gone";
  return sendPage(reply.code(former === null ? 404 : 410), missingItemPage(language, state));
}
