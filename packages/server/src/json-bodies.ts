/**
 * Bodies are JSON of bounded depth, or nothing. Everything else is 415, packed JSON too; what does not parse is 400 `invalid_json`. So are
 * bytes that are no UTF-8, which nobody should be billed for as the signs that stand for them, and texts that no store and no signature
 * can hold: half a surrogate pair is no Unicode (RFC 7493, 2.1), and PostgreSQL knows no NUL.
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
    (request, body, done) => {
      const read = () => done(null, parse(body.toString("utf8")));
      const refuse = (error: unknown) => done(error instanceof Error ? error : new Error("parsing failed"));
      try {
        refusePacked(request);
        if (!isUtf8(body)) throw new Problem("invalid_json", { detail: "The body is not UTF-8." });
        request.bodyBytes = body;
        const begun = request.routeOptions.config.early?.(request);
        if (begun === undefined) read();
        else begun.then(read).catch(refuse);
      } catch (error) {
        refuse(error);
      }
    },
  );
}

/** Bodies of this scope are the bytes that came, of whatever type. */
export function takeRawBodies(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  return scope;
}

/** Bodies of this scope are left to the handler, on the raw request. */
export function leaveBodies(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
  return scope;
}

/** Nothing here unpacks: a packed body would be told that it is no JSON, and its sender would look for the fault in vain. */
function refusePacked({ headers }: FastifyRequest): void {
  const coding = headers["content-encoding"] ?? "identity";
  if (coding.trim().toLowerCase() === "identity") return;
  throw new Problem("unsupported_media_type", {
    detail: "A body is read as it comes: send it without `Content-Encoding`.",
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
    throw new Problem("invalid_json", { detail: "A text of the body holds U+0000 or half of a surrogate pair." });
  return value;
}

/** Neither comes but as an escape: what is read of the bytes is whole characters, and JSON refuses a bare NUL. */
const MAYBE_UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

function isStorable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\u0000");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}

/** Whether lists and objects stand within each other in more than so many levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeper(member, levels - 1));
}
