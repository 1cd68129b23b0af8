/** The wallet pages, which `apps/web` builds. */
import { mountBuiltPage, type Server } from "@triptych/server";
import { RAIL } from "../pages/home.ts";
import type { Caller } from "./identify.ts";

export function mountPages(server: Server<Caller>, folder: Promise<string | null>): void {
  const paths = ["/wallet", "/wallet/link", "/verify"];
  mountBuiltPage(server, { paths, base: "/wallet/", folder, title: RAIL, name: "the wallet page" });
}
