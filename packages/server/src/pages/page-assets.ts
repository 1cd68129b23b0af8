/**
 * Static files of the pages, read once at startup. Removing comments, JSDoc types and indentation saves a quarter of
 * the size. Only whole lines are removed, so that strings are never damaged.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { html, type Html } from "../html.ts";

export interface PageAsset {
  readonly path: string;
  readonly file: URL;
}

export interface LoadedAsset {
  readonly path: string;
  readonly mediaType: string;
  readonly body: Buffer;
}

export function loadPageAssets(assets: readonly PageAsset[]): Promise<LoadedAsset[]> {
  return Promise.all(
    assets.map(async ({ path, file }) => {
      const text = await readFile(file, "utf8");
      const isStyle = path.endsWith(".css");
      const mediaType = isStyle ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
      return {
        path,
        mediaType,
        body: Buffer.from(isStyle ? withoutCssComments(text) : withoutIndentation(withoutComments(text))),
      };
    }),
  );
}

export function withoutComments(script: string): string {
  return script.replaceAll(/[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n?/g, "").replaceAll(/^[ \t]*\/\/.*\n/gm, "");
}

/** Keeps indentation inside multi-line strings, where leading spaces matter. */
function withoutIndentation(script: string): string {
  const lines = script.split("\n");
  const isSafe = lines.every((line) => line.split("`").length % 2 === 1);
  return isSafe ? lines.map((line) => line.trimStart()).join("\n") : script;
}

function withoutCssComments(style: string): string {
  return style.replaceAll(/\/\*[\s\S]*?\*\/\n?/g, "");
}

/** Asset URLs contain no version, so browsers revalidate each time and usually get 304. */
export function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, body }: LoadedAsset,
): FastifyReply {
  const etag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  reply.headers({ ETag: etag, "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff" });
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  return reply.type(mediaType).send(body);
}

export interface PageFrame {
  readonly language: "fr" | "en";
  readonly title: string;
  readonly styles: readonly string[];
  /** Module scripts, which run after the document is parsed. */
  readonly scripts: readonly string[];
  readonly body: Html;
  /** Additional elements of the head. */
  readonly head?: Html;
  /** Path of the icon. If absent, the page declares that it has none, so that browsers request none. */
  readonly icon?: string;
}

/** A complete document without inline scripts or styles, as the strict content security policy requires. */
export function pageDocument({ language, title, styles, scripts, body, head, icon }: PageFrame): string {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <link rel="icon" href="${icon ?? "data:,"}" />
        <script type="module" src="/docs/theme.js" async blocking="render"></script>
        ${styles.map((path) => html`<link rel="stylesheet" href="${path}" /> `)}${scripts.map((path) => html`<script type="module" src="${path}"></script> `)}${head ?? html``}
      </head>
      <body>
        ${body}
      </body>
    </html> `.html;
}

/** Shared style sheets and scripts of all services' pages, at the same URLs everywhere. */
const FILES = ["copy.js", "dom.js", "page.css", "reference.css", "reference.js", "theme.js", "tokens.css"] as const;

let loading: Promise<readonly LoadedAsset[]> | null = null;

/** Read once per process, even with several services. Browser modules import them by URL, such as `/docs/dom.js`. */
export function sharedAssets(): Promise<readonly LoadedAsset[]> {
  loading ??= loadPageAssets(
    FILES.map((name) => ({ path: `/docs/${name}`, file: new URL(`browser/${name}`, import.meta.url) })),
  );
  return loading;
}

export const TOKENS = "/docs/tokens.css";
export const PAGE_STYLES: readonly string[] = [TOKENS, "/docs/page.css"];
