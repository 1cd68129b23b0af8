/** ETags of the directory: a version and a hash of all that shapes an answer, so equal tags mean equal answers. */
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
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

/** Headers of every cacheable answer. A key in the URL makes it private to that URL's holder: nothing may store it. */
export function cacheHeaders(request: FastifyRequest, version: Version, etag: string): Record<string, string> {
  const keyInUrl = (request.query as Record<string, unknown>)["key"] !== undefined;
  return {
    ETag: etag,
    "Last-Modified": new Date(version.publishedAt).toUTCString(),
    "Cache-Control": keyInUrl ? "private, no-store" : "private, max-age=60",
    Vary: "Authorization, X-API-Key, Accept, Accept-Encoding",
    ...(keyInUrl && { "Referrer-Policy": "no-referrer" }),
  };
}

export function notModified(reply: FastifyReply, headers: Record<string, string>): FastifyReply {
  return reply.code(304).headers(headers).send();
}
