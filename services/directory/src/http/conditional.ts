/** ETags of the directory: a version and a hash of all that shapes an answer, so equal tags mean equal answers. */
import { hash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Version } from "../domain/catalogue.ts";

export function etagOf(version: Version, shape: unknown): string {
  return `W/"${version.id}-${hash("sha256", JSON.stringify(shape), "base64url").slice(0, 22)}"`;
}

/** True when the client already holds this answer (weak comparison, RFC 9110 section 13.1.2). */
export function isFresh(request: FastifyRequest, etag: string): boolean {
  const header = request.headers["if-none-match"];
  if (header === undefined) return false;
  return header.trim() === "*" || header.split(",").some((one) => one.trim().replace(/^W\//, "") === etag.slice(2));
}

/** Headers of every cacheable answer, named as an answer keeps them: what is written otherwise is written anew for each. */
export function cacheHeaders(version: Version, etag: string, byLanguage = false) {
  return {
    etag,
    "last-modified": new Date(version.publishedAt).toUTCString(),
    "cache-control": "private, max-age=60",
    vary: `Authorization, X-API-Key, Accept, Accept-Encoding${byLanguage ? ", Accept-Language" : ""}`,
  };
}

/**
 * A key in the URL makes every answer to it its holder's own, refusals and pages too: nothing may store it, and no site that it
 * leads to may learn the URL. Said as the answer is sent, over whatever a handler says of caching.
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
