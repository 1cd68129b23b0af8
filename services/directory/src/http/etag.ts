/** ETags: a version and a hash of all inputs of a response, so equal tags mean equal responses. */
import { hash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Version } from "../domain/catalogue.ts";

export function etagOf(version: Version, shape: unknown): string {
  return `W/"${version.id}-${hash("sha256", JSON.stringify(shape), "base64url").slice(0, 22)}"`;
}

/** True when the client's copy is current (weak comparison, RFC 9110 section 13.1.2). */
export function isFresh(request: FastifyRequest, etag: string): boolean {
  const header = request.headers["if-none-match"];
  if (header === undefined) return false;
  return header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag.slice(2));
}

/** Headers of a cacheable response. Names are lower case: Fastify would otherwise normalize them on every reply. */
export function cacheHeaders(version: Version, etag: string, byLanguage = false) {
  return {
    etag,
    "x-data-version": version.id,
    "last-modified": new Date(version.publishedAt).toUTCString(),
    "cache-control": "private, max-age=60",
    vary: `Authorization, X-API-Key, Accept, Accept-Encoding${byLanguage ? ", Accept-Language" : ""}`,
  };
}

/**
 * Makes every response to a URL with a key private, errors and pages included: `no-store` and no referrer. Set in
 * `onSend`, to override any cache header of a handler.
 */
export function guardKeysInUrls(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const { key } = request.query as Readonly<Record<string, unknown>>;
    if (key !== undefined) reply.headers({ "Cache-Control": "private, no-store", "Referrer-Policy": "no-referrer" });
    done(null, payload);
  });
}

export function notModified(reply: FastifyReply, headers: Record<string, string>): FastifyReply {
  return reply.code(304).headers(headers).send();
}
