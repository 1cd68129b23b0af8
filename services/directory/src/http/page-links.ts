/** Pagination links: the request's URL with another offset and without the key. */
import type { FastifyRequest } from "fastify";

export interface PageWindow {
  readonly offset: number;
  /** Items requested per page; also the step of `prev`. */
  readonly limit: number;
  readonly returned: number;
  readonly total: number;
}

export interface PageLinks {
  readonly self: string;
  readonly next: string | null;
  readonly prev: string | null;
}

export function pageLinks(request: FastifyRequest, origin: string, window: PageWindow): PageLinks {
  const { offset, limit, returned, total } = window;
  const next = offset + returned;
  const { self, at } = addressesOf(request, origin);
  return {
    self,
    next: limit > 0 && returned > 0 && next < total ? at(next) : null,
    prev: limit > 0 && offset > 0 ? at(Math.max(0, Math.min(offset, total) - limit)) : null,
  };
}

export function linkHeader(links: PageLinks): string {
  return Object.entries(links)
    .filter(([, href]) => href !== null)
    .map(([rel, href]) => `<${String(href)}>; rel="${rel}"`)
    .join(", ");
}

function addressesOf(request: FastifyRequest, origin: string): { self: string; at: (offset: number) => string } {
  // Unencoded characters must not end the URL inside a `Link` header.
  const url = request.url.replaceAll(/[^\u0021\u0023-\u003b\u003d\u003f-\u007e]/g, encodeURIComponent);
  const start = url.indexOf("?");
  const path = origin + (start < 0 ? url : url.slice(0, start));
  const pairs = (start < 0 ? "" : url.slice(start + 1))
    .split("&")
    .filter((pair) => pair !== "" && !isNamed(pair, "key"));
  const others = pairs.filter((pair) => !isNamed(pair, "offset"));
  return {
    self: join(path, pairs),
    at: (offset) => join(path, offset === 0 ? others : [...others, `offset=${offset}`]),
  };
}

function join(path: string, pairs: readonly string[]): string {
  return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
}

/** Decodes the name (`%6Bey=` is `key` too), so that no form of the key stays in a link. */
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
