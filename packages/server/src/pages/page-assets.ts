/**
 * Pages of a service and the files behind them: plain modules and style sheets that browsers read as they are, read once at start. Their
 * comments, types (JSDoc) and indentation are for us and stay here: without them the scripts of a page weigh a quarter less. Only what
 * stands alone is taken out, so no string can be mistaken for a comment.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { html, type Html } from "../html.ts";

export interface PageAsset {
  /** Address under which it is served; its ending says what it is. */
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

/** Doc comments wherever they stand, and lines that are nothing but a comment. */
export function withoutComments(script: string): string {
  return script.replaceAll(/[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n?/g, "").replaceAll(/^[ \t]*\/\/.*\n/gm, "");
}

/** Left where a text may go over several lines: there a space at the beginning of a line is meant. */
function withoutIndentation(script: string): string {
  const lines = script.split("\n");
  const isSafe = lines.every((line) => line.split("`").length % 2 === 1);
  return isSafe ? lines.map((line) => line.trimStart()).join("\n") : script;
}

function withoutCssComments(style: string): string {
  return style.replaceAll(/\/\*[\s\S]*?\*\/\n?/g, "");
}

/** Assets carry no version in their address: a browser asks each time, and is told most times that nothing changed. */
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
  /** Modules: they run when the document stands. */
  readonly scripts: readonly string[];
  readonly body: Html;
}

/** A whole document without inline script or style, so that the strictest policy holds. */
export function pageDocument({ language, title, styles, scripts, body }: PageFrame): string {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <script type="module" src="/docs/theme.js" async blocking="render"></script>
        ${styles.map((path) => html`<link rel="stylesheet" href="${path}" /> `)}${scripts.map((path) => html`<script type="module" src="${path}"></script> `)}
      </head>
      <body>
        ${body}
      </body>
    </html> `.html;
}
