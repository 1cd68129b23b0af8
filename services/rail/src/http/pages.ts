import { sendAsset, sendPage, type LoadedAsset, type Server } from "@triptych/server";
import type { TopUps } from "../domain/topup-service.ts";
import { linkPage } from "../pages/link-page.ts";
import { verifyPage } from "../pages/verify-page.ts";
import { walletPage } from "../pages/wallet-page.ts";
import type { Caller } from "./identify.ts";

export function mountPages(
  server: Server<Caller>,
  topUps: Pick<TopUps, "provider">,
  assets: readonly LoadedAsset[],
): void {
  const { name: provider, minimumMicro, saved } = topUps.provider;
  const page = walletPage({ provider, minimumMicro, savesMethods: saved !== null });
  server.mountDocument("/wallet", (_request, reply) => sendPage(reply, page));
  server.mountDocument("/wallet/link", (_request, reply) => sendPage(reply, linkPage()));
  server.mountDocument("/verify", (_request, reply) => sendPage(reply, verifyPage(server.url())));
  for (const asset of assets) server.mountDocument(asset.path, (request, reply) => sendAsset(request, reply, asset));
}
