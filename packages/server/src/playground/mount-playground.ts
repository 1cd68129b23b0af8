import { sendPage } from "../system-routes.ts";
import { loadPageAssets, sendAsset } from "../pages/page-assets.ts";
import type { Server } from "../server.ts";
import { playgroundAssets } from "./playground-assets.ts";
import { playgroundPage, type PlaygroundFacts } from "./playground-page.ts";

export type { PlaygroundFacts } from "./playground-page.ts";

export async function mountPlayground<Caller>(server: Server<Caller>, facts: PlaygroundFacts): Promise<void> {
  const page = playgroundPage(facts);
  server.mountDocument("/playground", (_request, reply) => sendPage(reply, page));
  for (const asset of await loadPageAssets(playgroundAssets()))
    server.mountDocument(asset.path, (request, reply) => sendAsset(request, reply, asset));
}
