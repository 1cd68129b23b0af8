/**
 * Accepts only JSON bodies of limited depth. Other media types and compressed bodies are 415. Unparseable JSON and
 * invalid UTF-8 are 400 `invalid_json`, and so are lone surrogates (RFC 7493, 2.1) and U+0000, which PostgreSQL cannot
 * store.
 */
import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem } from "./problem.ts";

const DEPTH_LIMIT = 32;

export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    /^application\/(?:[\w.+-]+\+)?json(?:;|$)/,
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer) => {
      refuseCompressed(request);
      if (!isUtf8(body)) throw new Problem("invalid_json", { detail: "The body is not valid UTF-8." });
      request.bodyBytes = body;
      return parse(body.toString("utf8"));
    },
  );
}

/** Passes bodies of this scope to the handler as raw bytes, whatever their media type. */
export function parseRawBodies(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  return scope;
}

/** Leaves bodies of this scope unread, so that the handler can stream them from the raw request. */
export function passBodiesThrough(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
  return scope;
}

/** Compressed bodies are not supported. Without this check, the error would be a misleading `invalid_json`. */
function refuseCompressed({ headers }: FastifyRequest): void {
  const coding = headers["content-encoding"] ?? "identity";
  if (coding.trim().toLowerCase() === "identity") return;
  throw new Problem("unsupported_media_type", {
    detail: "Compressed bodies are not supported. Send the body without `Content-Encoding`.",
    headers: { "Accept-Encoding": "identity" },
  });
}

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Problem("invalid_json", { cause });
  }
  if (isDeeper(value, DEPTH_LIMIT))
    throw new Problem("invalid_json", { detail: `The body is nested deeper than ${DEPTH_LIMIT} levels.` });
  if (MAYBE_UNSTORABLE.test(text) && !isStorable(value))
    throw new Problem("invalid_json", { detail: "A string in the body contains U+0000 or a lone surrogate." });
  return value;
}

/** Both can only occur as escapes: valid UTF-8 contains no lone surrogate, and JSON rejects a bare NUL. */
const MAYBE_UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

function isStorable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\u0000");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeper(member, levels - 1));
}
