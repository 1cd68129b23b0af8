/** Links of a page: the request's own address with another offset, without the key. */
import type { FastifyRequest } from "fastify";

export interface PagePlace {
  readonly offset: number;
  /** Items asked for a page, which is also how far `prev` goes back. */
  readonly limit: number;
  /** Items on this page. */
  readonly returned: number;
  readonly total: number;
}

export interface PageLinks {
  readonly self: string;
  readonly next: string | null;
  readonly prev: string | null;
}

export function pageLinks(request: FastifyRequest, origin: string, place: PagePlace): PageLinks {
  const { offset, limit, returned, total } = place;
  const next = offset + returned;
  return {
    self: addressOf(request, origin, null),
    next: limit > 0 && returned > 0 && next < total ? addressOf(request, origin, next) : null,
    prev: limit > 0 && offset > 0 ? addressOf(request, origin, Math.max(0, Math.min(offset, total) - limit)) : null,
  };
}

/** The `Link` header (RFC 8288) of the same addresses. */
export function linkHeader(links: PageLinks): string {
  return Object.entries(links)
    .filter(([, href]) => href !== null)
    .map(([rel, href]) => `<${String(href)}>; rel="${rel}"`)
    .join(", ");
}

function addressOf(request: FastifyRequest, origin: string, offset: number | null): string {
  const start = request.url.indexOf("?");
  const path = start < 0 ? request.url : request.url.slice(0, start);
  const pairs = (start < 0 ? "" : request.url.slice(start + 1))
    .split("&")
    .filter((pair) => pair !== "" && !isNamed(pair, "key"));
  if (offset === null) return join(origin, path, pairs);

  const others = pairs.filter((pair) => !isNamed(pair, "offset"));
  return join(origin, path, offset === 0 ? others : [...others, `offset=${offset}`]);
}

function join(origin: string, path: string, pairs: readonly string[]): string {
  const query = pairs.length > 0 ? `?${pairs.join("&")}` : "";
  // What the client left unencoded must not end the address inside a `Link` header.
  return `${origin}${`${path}${query}`.replaceAll(/[^\u0021\u0023-\u003b\u003d\u003f-\u007e]/g, encodeURIComponent)}`;
}

/** A name may be percent-encoded (`%6Bey=`): what the query parser calls `key` must not stay in a link. */
function isNamed(pair: string, name: string): boolean {
  const end = pair.indexOf("=");
  const raw = end < 0 ? pair : pair.slice(0, end);
  if (raw === name) return true;
  if (!raw.includes("%")) return false;
  try {
    return decodeURIComponent(raw) === name;
  } catch {
    return false;
  }
}
