/** The page behind the links of mails. */
import { sendPage, type Server } from "@triptych/server";
import { LINK_SCRIPT, linkPage } from "../pages/link-page.ts";
import type { Caller } from "./caller.ts";

export function mountLinkPage(server: Server<Caller>): void {
  server.mountDocument("/wallet/link", (_request, reply) => sendPage(reply, linkPage()));
  server.mountDocument("/wallet/link.js", (_request, reply) =>
    reply
      .headers({ "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff" })
      .type("text/javascript; charset=utf-8")
      .send(LINK_SCRIPT),
  );
}
