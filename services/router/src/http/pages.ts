/** The playground and its files. */
import { sendAsset, sendPage, type LoadedAsset, type Server } from "@triptych/server";
import { playgroundPage } from "../pages/playground-page.ts";
import type { Caller } from "./caller.ts";

export function mountPages(server: Server<Caller>, assets: readonly LoadedAsset[]): void {
  const page = playgroundPage();
  server.mountDocument("/", (_request, reply) => sendPage(reply, page));
  for (const asset of assets) server.mountDocument(asset.path, (request, reply) => sendAsset(request, reply, asset));
}
