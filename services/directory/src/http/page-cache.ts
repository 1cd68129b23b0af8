/**
 * LRU cache of rendered JSON pages, keyed by plan, granted items and URL; cleared when the version changes. Quota
 * headers and billing are added per request.
 */
import type { FastifyReply } from "fastify";
import type { Exchange } from "@triptych/server";
import type { getItems } from "@triptych/contracts";
import type { Version } from "../domain/catalogue.ts";
import type { Caller } from "./caller.ts";
import { isFresh, notModified } from "./etag.ts";
import { languageOf } from "./facet-labels.ts";

export interface KeptPage {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** ETags under which a client may have cached it: the page's own, and that of the page without the quota cut. */
  readonly tags: readonly string[];
  readonly items: number;
  /** Whether the page contains items: a key without quota left does not receive it. */
  readonly holdsItems: boolean;
  readonly geo: boolean;
}

export interface KeptPages {
  find(version: Version, asked: string): KeptPage | undefined;
  keep(version: Version, asked: string, page: KeptPage): void;
}

const LARGEST_SHARE = 1 / 16;
/** Estimated overhead of headers, tags and map entries per page. */
const AROUND_BYTES = 1000;

/** @param most total size in bytes; 0 disables the cache. */
export function keepPages(most: number): KeptPages {
  let pages = new Map<string, KeptPage>();
  let bytes = 0;
  let ofVersion = "";

  return {
    find(version, asked) {
      if (version.id !== ofVersion) return undefined;
      const found = pages.get(asked);
      if (found === undefined) return undefined;
      // Re-inserted, because a Map iterates in insertion order: its first entry is the least recently used.
      pages.delete(asked);
      pages.set(asked, found);
      return found;
    },
    keep(version, asked, page) {
      const size = sizeOf(asked, page);
      if (size > most * LARGEST_SHARE) return;
      if (version.id !== ofVersion) [pages, bytes, ofVersion] = [new Map(), 0, version.id];
      drop(asked);
      pages.set(asked, page);
      bytes += size;
      for (const oldest of pages.keys()) {
        if (bytes <= most) break;
        drop(oldest);
      }
    },
  };

  function drop(asked: string): void {
    const page = pages.get(asked);
    if (page === undefined) return;
    pages.delete(asked);
    bytes -= sizeOf(asked, page);
  }
}

function sizeOf(asked: string, { body }: KeptPage): number {
  return body.length + asked.length * 2 + AROUND_BYTES;
}

/** Cache key besides the version. Null when the URL contains an API key: that response is private. */
export function askedIn({ caller, query, request }: Exchange<typeof getItems, Caller>): string | null {
  const { key } = request.query as Readonly<Record<string, unknown>>;
  if (key !== undefined) return null;
  const language = query.facets === undefined ? "" : languageOf(request);
  return `${caller.plan.id} ${caller.granted} ${language} ${request.headers.accept ?? ""} ${request.url}`;
}

export function sendKept({ caller, request, reply }: Exchange<typeof getItems, Caller>, page: KeptPage): FastifyReply {
  caller.note({ items: 0, geo: page.geo });
  if (page.tags.some((tag) => isFresh(request, tag))) return notModified(reply, cacheable(page.headers));
  if (page.holdsItems) caller.refuseExhausted();
  caller.note({ items: request.method === "HEAD" ? 0 : page.items, geo: page.geo });
  return reply.headers(page.headers).send(page.body);
}

function cacheable({ "content-type": _type, link: _link, ...headers }: KeptPage["headers"]): Record<string, string> {
  return headers;
}
