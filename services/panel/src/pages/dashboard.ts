/** The built dashboard. Every URL without another route gets its document, and the browser routes it. */
import {
  type BuiltPage,
  sendBuiltAsset,
  sendShell,
  type Server,
  html,
  PAGE_STYLES,
  pageDocument,
} from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../http/caller.ts";

/** No inline code, no foreign origins, no text executed as a script. */
const POLICY =
  "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const OURS = /^\/(?:api|assets|docs|problems|worker)(?:\/|$)/;
/** Clients look for other documents here and would accept the page. No URL of a screen has a file extension. */
const NOT_A_SCREEN = /^\/(?:\.well-known|mcp)(?:\/|$)|\.[A-Za-z][A-Za-z0-9]{0,9}$/;

export function mountDashboard(server: Pick<Server<Caller>, "mountDocument">, page: BuiltPage): void {
  server.mountDocument("/", (request, reply) => sendDashboard(request, reply, page));
  server.mountDocument("/assets/{name}", (request, reply) => sendBuiltAsset(request, reply, page));
}

export function answerElsewhere(page: BuiltPage) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const [path] = request.url.split("?");
    return OURS.test(path) || NOT_A_SCREEN.test(path) ? null : sendDashboard(request, reply, page);
  };
}

function sendDashboard(request: FastifyRequest, reply: FastifyReply, { shell }: BuiltPage): FastifyReply {
  return sendShell(request, reply, { shell, headers: { "Content-Security-Policy": POLICY } });
}

export function missingDashboardPage(url: string): string {
  return pageDocument({
    language: "en",
    title: "Triptych panel",
    styles: PAGE_STYLES,
    scripts: [],
    body: html`<main class="column">
      <h1>Triptych panel</h1>
      <p>This installation does not include the dashboard. Use the API instead.</p>
      <p><a href="/docs">API reference with examples</a></p>
      <p>
        The file credentials.json in the data folder contains an access token and a password to try the API. Send a
        request with the token:
      </p>
      <pre tabindex="0">curl -H "Authorization: Bearer pnl_…" ${url}/api/account</pre>
      <p>A one-time sign-in link contains a token after the #. Exchange it for a browser session:</p>
      <pre tabindex="0">curl -d '{"token":"…"}' -H "Content-Type: application/json" ${url}/api/auth/once</pre>
    </main>`,
  });
}
