import { sendPage } from "../page-routes.ts";
import { loadPageAssets, type PageAsset, sendAsset } from "../pages/page-assets.ts";
import type { Server } from "../server.ts";
import { playgroundPage, type PlaygroundFacts } from "./playground-page.ts";

export type { PlaygroundFacts } from "./playground-page.ts";

export async function mountPlayground<Caller>(server: Server<Caller>, facts: PlaygroundFacts): Promise<void> {
  const page = playgroundPage(facts);
  server.mountDocument("/playground", (_request, reply) => sendPage(reply, page));
  for (const asset of await loadPageAssets(playgroundAssets()))
    server.mountDocument(asset.path, (request, reply) => sendAsset(request, reply, asset));
}

const FILES = [
  "response-parts.js",
  "api.js",
  "explained-terms.js",
  "payment.js",
  "playground.css",
  "playground.js",
  "question.js",
  "render-response.js",
] as const;

function playgroundAssets(): readonly PageAsset[] {
  return FILES.map((name) => ({
    path: `/playground/${name}`,
    file: new URL(`./browser/${name}`, import.meta.url),
  }));
}
