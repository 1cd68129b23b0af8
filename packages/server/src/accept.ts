/** Negotiates the media type and language of a response (RFC 9110), with the server's order as preference. */
import Negotiator from "negotiator";
import type { FastifyRequest } from "fastify";
import { Problem } from "./problem.ts";

/**
 * Returns the first offered type if `Accept` is missing or empty, and null if none is acceptable. A requested type
 * with parameters matches only an offer with the same parameters.
 */
export function acceptedMedia<M extends string>(
  request: Pick<FastifyRequest, "headers">,
  offered: readonly M[],
): M | null {
  if (!request.headers.accept?.trim()) return offered[0];
  const chosen = new Negotiator(request).mediaType([...offered]);
  return offered.find((media) => media === chosen) ?? null;
}

/**
 * Returns the first offered language if `Accept-Language` is missing or matches none, so that there is always a
 * response.
 */
export function acceptedLanguage<L extends string>(
  request: Pick<FastifyRequest, "headers">,
  offered: readonly [L, ...L[]],
): L {
  if (!request.headers["accept-language"]?.trim()) return offered[0];
  const chosen = new Negotiator(request).language([...offered]);
  return offered.find((language) => language === chosen) ?? offered[0];
}

export function notAcceptable(offered: readonly string[]): Problem {
  return new Problem("not_acceptable", { detail: `This path can return ${offered.join(", ")}.`, members: { offered } });
}
