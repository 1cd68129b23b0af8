/**
 * A page built by Vite, served from memory. Asset names contain a content hash, so assets are cached forever; the
 * document is revalidated. Bodies compressed by the build (`.br`, `.gz`) are sent as they are.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { CONTENT_SECURITY_POLICY, html, PAGE_HEADERS } from "../html.ts";
import { Problem } from "../problem.ts";
import type { Server } from "../server.ts";
import { PAGE_STYLES, pageDocument } from "./page-assets.ts";

export interface BuiltPage {
  readonly shell: Buffer;
  readonly assets: ReadonlyMap<string, BuiltAsset>;
}

interface BuiltAsset {
  readonly mediaType: string;
  readonly body: Buffer;
  /** By content coding, the preferred one first. */
  readonly compressed: readonly (readonly [string, Buffer])[];
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const CODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** Every service of a process serves the request viewer, so its files are loaded once. */
const loaded = new Map<string, Promise<BuiltPage>>();

/** @param folder contains `index.html` and `assets/`. Rejects if they cannot be read. */
export function loadBuiltPage(folder: string): Promise<BuiltPage> {
  const page = loaded.get(folder) ?? readBuiltPage(folder);
  loaded.set(folder, page);
  return page;
}

async function readBuiltPage(folder: string): Promise<BuiltPage> {
  const shell = await readFile(join(folder, "index.html"));
  const names = new Set(await readdir(join(folder, "assets")));
  const read = (name: string) => readFile(join(folder, "assets", name));
  const assets = await Promise.all(
    [...names]
      .filter((name) => extname(name) in MEDIA_TYPES)
      .map(async (name) => {
        const codings = CODINGS.filter(([, ending]) => names.has(name + ending));
        const compressed = codings.map(async ([coding, ending]) => [coding, await read(name + ending)] as const);
        const mediaType = MEDIA_TYPES[extname(name)];
        return [name, { mediaType, body: await read(name), compressed: await Promise.all(compressed) }] as const;
      }),
  );
  return { shell, assets: new Map(assets) };
}

export interface BuiltPageMount {
  /** Paths of the document. */
  readonly paths: readonly string[];
  /** Path of the files, with a slash at the end. */
  readonly base: string;
  /** Folder of the built page; null if there is none. Requests wait for it. */
  readonly folder: Promise<string | null>;
  /** `title` is the name of the service; `name` is the name of the page within a sentence. */
  readonly title: string;
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Mounts a page that is built while the service starts. If the build fails, its paths return 503 with links to the API.
 */
export function mountBuiltPage(
  server: Pick<Server<unknown>, "mountDocument">,
  { paths, base, folder, title, name, headers = {} }: BuiltPageMount,
): void {
  const page = folder.then((path) => (path === null ? null : loadBuiltPage(path)));
  // Each request for the page rethrows the error; without a request, it must not end the process.
  page.catch(() => undefined);
  const policy = { "Content-Security-Policy": CONTENT_SECURITY_POLICY, ...headers };
  for (const path of paths)
    server.mountDocument(path, async (request, reply) => {
      const built = await page;
      if (built !== null) return sendShell(request, reply, { shell: built.shell, headers: policy });
      const text = missingPage(title, name);
      return reply
        .code(503)
        .headers({ ...PAGE_HEADERS, ...policy })
        .type("text/html; charset=utf-8")
        .send(text);
    });
  server.mountDocument(`${base}assets/{name}`, async (request, reply) => {
    const built = await page;
    if (built === null) throw new Problem("not_found");
    return sendBuiltAsset(request, reply, built);
  });
}

function missingPage(title: string, name: string): string {
  return pageDocument({
    language: "en",
    title,
    styles: PAGE_STYLES,
    scripts: [],
    body: html`<main class="column">
      <h1>${title}</h1>
      <p>This installation does not include ${name}. The same data is available in the <a href="/docs">API</a>.</p>
    </main>`,
  });
}

export function sendBuiltAsset(request: FastifyRequest, reply: FastifyReply, { assets }: BuiltPage): FastifyReply {
  const { name } = request.params as { readonly name: string };
  const asset = assets.get(name);
  if (asset === undefined) throw new Problem("not_found");
  const etag = `W/"${name}"`;
  forgetCacheDefaults(reply).headers({
    ETag: etag,
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
    Vary: "Accept-Encoding",
  });
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  const accepted = (request.headers["accept-encoding"] ?? "").split(/\s*,\s*/);
  const chosen = asset.compressed.find(([coding]) => accepted.includes(coding));
  if (chosen === undefined) return reply.type(asset.mediaType).send(asset.body);
  return reply.header("Content-Encoding", chosen[0]).type(asset.mediaType).send(chosen[1]);
}

export function sendShell(
  request: FastifyRequest,
  reply: FastifyReply,
  { shell, headers }: { readonly shell: Buffer; readonly headers: Readonly<Record<string, string>> },
): FastifyReply {
  const etag = `W/"${createHash("sha256").update(shell).digest("base64url").slice(0, 22)}"`;
  forgetCacheDefaults(reply).headers({ ...PAGE_HEADERS, ETag: etag, "Cache-Control": "no-cache", ...headers });
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  return reply.code(200).type("text/html; charset=utf-8").send(shell);
}

/** Removes the headers of private responses, which every response has by default. */
function forgetCacheDefaults(reply: FastifyReply): FastifyReply {
  reply.removeHeader("Pragma");
  reply.removeHeader("Expires");
  return reply;
}
