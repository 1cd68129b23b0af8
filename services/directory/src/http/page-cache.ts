/**
 * LRU cache of rendered JSON pages, keyed by plan, granted items and URL; cleared when the version changes. Quota
 * headers and billing are added per request.
 */
import type { FastifyReply } from "fastify";
import type { RequestContext } from "@triptych/server";
import type { getItems } from "@triptych/contracts";
import type { Version } from "../domain/catalogue.ts";
import type { Caller } from "./caller.ts";
import { isFresh, notModified } from "./etag.ts";
import { languageOf } from "./facet-labels.ts";

export interface CachedPage {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** ETags under which a client may have cached it: the page's own, and that of the page without the quota cut. */
  readonly tags: readonly string[];
  readonly items: number;
  /** Whether the page contains items: a key without quota left does not receive it. */
  readonly holdsItems: boolean;
  readonly geo: boolean;
}

export interface PageCache {
  find(version: Version, key: string): CachedPage | undefined;
  keep(version: Version, key: string, page: CachedPage): void;
}

const LARGEST_SHARE = 1 / 16;
/** Estimated overhead of headers, tags and map entries per page. */
const AROUND_BYTES = 1000;

/** @param most total size in bytes; 0 disables the cache. */
export function createPageCache(most: number): PageCache {
  let pages = new Map<string, CachedPage>();
  let bytes = 0;
  let ofVersion = "";

  return {
    find(version, key) {
      if (version.id !== ofVersion) return undefined;
      const found = pages.get(key);
      if (found === undefined) return undefined;
      // Re-inserted, because a Map iterates in insertion order: its first entry is the least recently used.
      pages.delete(key);
      pages.set(key, found);
      return found;
    },
    keep(version, key, page) {
      const size = sizeOf(key, page);
      if (size > most * LARGEST_SHARE) return;
      if (version.id !== ofVersion) [pages, bytes, ofVersion] = [new Map(), 0, version.id];
      drop(key);
      pages.set(key, page);
      bytes += size;
      for (const oldest of pages.keys()) {
        if (bytes <= most) break;
        drop(oldest);
      }
    },
  };

  function drop(key: string): void {
    const page = pages.get(key);
    if (page === undefined) return;
    pages.delete(key);
    bytes -= sizeOf(key, page);
  }
}

function sizeOf(key: string, { body }: CachedPage): number {
  return body.length + key.length * 2 + AROUND_BYTES;
}

/** Cache key besides the version. Null when the URL contains an API key: that response is private. */
export function cacheKeyOf({ caller, query, request }: RequestContext<typeof getItems, Caller>): string | null {
  const { key } = request.query as Readonly<Record<string, unknown>>;
  if (key !== undefined) return null;
  const language = query.facets === undefined ? "" : languageOf(request);
  return `${caller.plan.id} ${caller.granted} ${language} ${request.headers.accept ?? ""} ${request.url}`;
}

export function sendCached(
  { caller, request, reply }: RequestContext<typeof getItems, Caller>,
  page: CachedPage,
): FastifyReply {
  caller.note({ items: 0, geo: page.geo });
  if (page.tags.some((tag) => isFresh(request, tag))) return notModified(reply, cacheable(page.headers));
  if (page.holdsItems) caller.refuseExhausted();
  caller.note({ items: request.method === "HEAD" ? 0 : page.items, geo: page.geo });
  return reply.headers(page.headers).send(page.body);
}

function cacheable({ "content-type": _type, link: _link, ...headers }: CachedPage["headers"]): Record<string, string> {
  return headers;
}
