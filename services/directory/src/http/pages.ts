import {
  openApiDocument,
  mountBuiltPage,
  pageLanguageOf,
  sendAsset,
  sendLocalizedPage,
  type LoadedAsset,
  type PageLanguage,
  type Server,
} from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { frenchContract } from "../french/french-contract.ts";
import { PLANS } from "../domain/plans.ts";
import { docsPage } from "../pages/docs-page.ts";
import { mapBackground, type MapTiles } from "../pages/map-background.ts";
import { mapHeaders } from "../pages/map-page.ts";
import type { Caller } from "./caller.ts";

export interface PageParts {
  readonly contact: string | null;
  readonly clock: () => number;
  readonly assets: readonly LoadedAsset[];
  readonly outlines: () => Promise<string | null>;
  /** Folder of the built map; null or absent if there is none. Requests for the map wait for it. */
  readonly mapFolder?: Promise<string | null>;
  readonly tiles?: MapTiles | null;
}

export function mountPages(server: Server<Caller>, { contact, clock, assets, ...map }: PageParts): void {
  server.mountDocument("/api/openapi.json", () => openApiDocument(server.contract, { url: server.url() }));
  server.mountDocument("/api/docs", (request, reply) => sendDocs({ request, reply }, server, { contact, clock }));
  mountMap(server, map);
  server.mountDocument("/map", (_request, reply) => reply.redirect("/carte", 308));
  for (const asset of assets) server.mountDocument(asset.path, (request, reply) => sendAsset(request, reply, asset));
}

function mountMap(
  server: Server<Caller>,
  { outlines, mapFolder = Promise.resolve(null), tiles = null }: Pick<PageParts, "outlines" | "mapFolder" | "tiles">,
): void {
  const background = backgroundOf(outlines, tiles);
  mountBuiltPage(server, {
    paths: ["/carte"],
    base: "/carte/",
    folder: mapFolder,
    title: "Triptych directory",
    name: "the map",
    headers: mapHeaders(tiles),
  });
  server.mountDocument("/carte/background.json", async (request, reply) =>
    sendAsset(request, reply, { path: "", mediaType: "application/json; charset=utf-8", body: await background() }),
  );
}

export function directoryDocs(
  server: Pick<Server<Caller>, "contract" | "url">,
  { contact, clock, language }: Pick<PageParts, "contact" | "clock"> & { readonly language: PageLanguage },
): string {
  const today = new Date(clock()).toISOString().slice(0, 10);
  const contract = language.language === "fr" ? frenchContract : server.contract;
  return docsPage(contract, { origin: server.url(), contact, plans: Object.values(PLANS), today, language });
}

export function sendDocs(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  server: Pick<Server<Caller>, "contract" | "url">,
  facts: Pick<PageParts, "contact" | "clock">,
): FastifyReply {
  const language = pageLanguageOf(request);
  return sendLocalizedPage({ request, reply }, { text: directoryDocs(server, { ...facts, language }), language });
}

function backgroundOf(outlines: PageParts["outlines"], tiles: MapTiles | null): () => Promise<Buffer> {
  let made: { readonly from: string | null; readonly body: Buffer } | null = null;
  return async () => {
    const from = await outlines();
    if (made?.from !== from || made === null) {
      const installed: unknown = from === null ? null : JSON.parse(from);
      made = { from, body: Buffer.from(JSON.stringify(mapBackground(installed, tiles))) };
    }
    return made.body;
  };
}
