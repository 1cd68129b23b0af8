/** Chooses the media type of an answer by `Accept` (RFC 9110), preferring the order in which they are offered. */
import Negotiator from "negotiator";
import type { FastifyRequest } from "fastify";
import { Problem } from "./problem.ts";

/**
 * The first of the offered types when there is no `Accept` or an empty one; null when the header allows none of them. A type that
 * is asked for with parameters matches one that is offered with them.
 */
export function acceptedMedia<M extends string>(
  request: Pick<FastifyRequest, "headers">,
  offered: readonly M[],
): M | null {
  if (!request.headers.accept?.trim()) return offered[0];
  const chosen = new Negotiator(request).mediaType([...offered]);
  return offered.find((media) => media === chosen) ?? null;
}

/** The first of the offered languages when `Accept-Language` is absent or allows none of them: an answer is always possible. */
export function acceptedLanguage<L extends string>(
  request: Pick<FastifyRequest, "headers">,
  offered: readonly [L, ...L[]],
): L {
  if (!request.headers["accept-language"]?.trim()) return offered[0];
  const chosen = new Negotiator(request).language([...offered]);
  return offered.find((language) => language === chosen) ?? offered[0];
}

export function notAcceptable(offered: readonly string[]): Problem {
  return new Problem("not_acceptable", { detail: `This path can answer ${offered.join(", ")}.`, members: { offered } });
}
