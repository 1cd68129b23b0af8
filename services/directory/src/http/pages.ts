import { openApiDocument, sendPage, type Server, sendAsset, type LoadedAsset } from "@triptych/server";
import { PLANS } from "../domain/plans.ts";
import { docsPage } from "../pages/docs-page.ts";
import { mapBackground } from "../pages/map-background.ts";
import { mapPage } from "../pages/map-page.ts";
import type { Caller } from "./caller.ts";

export interface PageParts {
  readonly contact: string | null;
  readonly clock: () => number;
  readonly assets: readonly LoadedAsset[];
  readonly outlines: () => Promise<string | null>;
}

export function mountPages(server: Server<Caller>, { contact, clock, assets, outlines }: PageParts): void {
  const background = backgroundOf(outlines);
  server.mountDocument("/api/openapi.json", () => openApiDocument(server.contract, { url: server.url() }));
  server.mountDocument("/api/docs", (_request, reply) => sendPage(reply, directoryDocs(server, { contact, clock })));
  server.mountDocument("/carte", (_request, reply) => sendPage(reply, mapPage(), { usesLocation: true }));
  server.mountDocument("/map", (_request, reply) => reply.redirect("/carte", 308));
  server.mountDocument("/carte/background.json", async (request, reply) =>
    sendAsset(request, reply, { path: "", mediaType: "application/json; charset=utf-8", body: await background() }),
  );
  for (const asset of assets) server.mountDocument(asset.path, (request, reply) => sendAsset(request, reply, asset));
}

export function directoryDocs(
  server: Pick<Server<Caller>, "contract" | "url">,
  { contact, clock }: Pick<PageParts, "contact" | "clock">,
): string {
  const today = new Date(clock()).toISOString().slice(0, 10);
  return docsPage(server.contract, { origin: server.url(), contact, plans: Object.values(PLANS), today });
}

function backgroundOf(outlines: PageParts["outlines"]): () => Promise<Buffer> {
  let made: { readonly from: string | null; readonly body: Buffer } | null = null;
  return async () => {
    const from = await outlines();
    if (made?.from !== from || made === null) {
      const installed: unknown = from === null ? null : JSON.parse(from);
      made = { from, body: Buffer.from(JSON.stringify(mapBackground(installed))) };
    }
    return made.body;
  };
}
