/**
 * Serves the built dashboard from memory. Asset names contain a content hash, so assets are cached forever and `index.html` is revalidated.
 * Every URL without another route gets that page, and the browser routes it.
 */
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { PAGE_HEADERS, Problem, type Server, html, PAGE_STYLES, pageDocument } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../http/caller.ts";

export interface Dashboard {
  readonly shell: Buffer;
  readonly assets: ReadonlyMap<string, Asset>;
}

interface Asset {
  readonly mediaType: string;
  readonly body: Buffer;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** No inline code, no foreign origins, no text executed as a script. */
const POLICY =
  "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const OURS = /^\/(?:api|assets|docs|problems|worker)(?:\/|$)/;
/** Clients look here for something else and would accept the page. No screen's URL has a file extension. */
const NOT_A_SCREEN = /^\/(?:\.well-known|mcp)(?:\/|$)|\.[A-Za-z][A-Za-z0-9]{0,9}$/;

/** @param folder holds `index.html` and `assets/`. Rejects where they cannot be read. */
export async function loadDashboard(folder: string): Promise<Dashboard> {
  const shell = await readFile(join(folder, "index.html"));
  const names = (await readdir(join(folder, "assets"))).filter((name) => extname(name) in MEDIA_TYPES);
  const assets = await Promise.all(
    names.map(async (name) => {
      const mediaType = MEDIA_TYPES[extname(name)];
      return [name, { mediaType, body: await readFile(join(folder, "assets", name)) }] as const;
    }),
  );
  return { shell, assets: new Map(assets) };
}

export function mountDashboard(server: Pick<Server<Caller>, "mountDocument">, { shell, assets }: Dashboard): void {
  server.mountDocument("/", (_request, reply) => sendShell(reply, shell));
  server.mountDocument("/assets/{name}", (request, reply) => {
    const { name } = request.params as { readonly name: string };
    const asset = assets.get(name);
    if (asset === undefined) throw new Problem("not_found");
    reply.removeHeader("Pragma");
    reply.removeHeader("Expires");
    return reply.header("Cache-Control", "public, max-age=31536000, immutable").type(asset.mediaType).send(asset.body);
  });
}

export function answerElsewhere({ shell }: Dashboard) {
  return ({ url }: FastifyRequest, reply: FastifyReply) => {
    const [path] = url.split("?");
    return OURS.test(path) || NOT_A_SCREEN.test(path) ? null : sendShell(reply, shell);
  };
}

function sendShell(reply: FastifyReply, shell: Buffer): FastifyReply {
  reply.removeHeader("Pragma");
  reply.removeHeader("Expires");
  const headers = { ...PAGE_HEADERS, "Cache-Control": "no-cache", "Content-Security-Policy": POLICY };
  return reply.code(200).headers(headers).type("text/html; charset=utf-8").send(shell);
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
