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

/** @param self from `selfLink`. */
export function pageLinks(self: string, { offset, limit, returned, total }: PageWindow): PageLinks {
  const next = offset + returned;
  const [path, query = ""] = self.split("?", 2);
  const others = query.split("&").filter((pair) => pair !== "" && !isNamed(pair, "offset"));
  const at = (start: number) => join(path, start === 0 ? others : [...others, `offset=${start}`]);
  return {
    self,
    next: limit > 0 && returned > 0 && next < total ? at(next) : null,
    prev: limit > 0 && offset > 0 ? at(Math.max(0, Math.min(offset, total) - limit)) : null,
  };
}

/** The request's URL without the key. */
export function selfLink(request: FastifyRequest, origin: string): string {
  // Unencoded characters must not end the URL inside a `Link` header.
  const url = request.url.replaceAll(/[^\u0021\u0023-\u003b\u003d\u003f-\u007e]/g, encodeURIComponent);
  const start = url.indexOf("?");
  if (start < 0) return origin + url;
  const pairs = url.slice(start + 1).split("&");
  return join(
    origin + url.slice(0, start),
    pairs.filter((pair) => pair !== "" && !isNamed(pair, "key")),
  );
}

export function linkHeader(links: PageLinks): string {
  return Object.entries(links)
    .filter(([, href]) => href !== null)
    .map(([rel, href]) => `<${String(href)}>; rel="${rel}"`)
    .join(", ");
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
