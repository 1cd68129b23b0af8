/**
 * Pages of JSON that were made before, ready to be sent again. A version never changes, so whoever asks it the same in the same words,
 * with the same plan and as many items granted, gets the same bytes; what they cost, and the headers that tell what is left, are the
 * caller's own each time. Another version begins anew. The page that was not asked for longest goes first.
 */
import type { FastifyReply } from "fastify";
import type { Exchange } from "@triptych/server";
import type { getItems } from "@triptych/contracts";
import type { Version } from "../domain/catalogue.ts";
import type { Caller } from "./caller.ts";
import { isFresh, notModified } from "./conditional.ts";
import { languageOf } from "./facet-labels.ts";

export interface KeptPage {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Tags under which a client may hold it: its own, and that of the page that the quota would not have cut. */
  readonly tags: readonly string[];
  readonly items: number;
  /** Whether there is anything from its offset on: a key that has used up its day gets no such page. */
  readonly holdsItems: boolean;
  readonly geo: boolean;
}

export interface KeptPages {
  find(version: Version, asked: string): KeptPage | undefined;
  keep(version: Version, asked: string, page: KeptPage): void;
}

/** Of all that may be kept, one page may take so much. */
const LARGEST_SHARE = 1 / 16;
/** Headers, tags and entries around a page, roughly. */
const AROUND_BYTES = 1000;

/** @param most bytes of all pages together; 0 keeps none. */
export function keepPages(most: number): KeptPages {
  let pages = new Map<string, KeptPage>();
  let bytes = 0;
  let ofVersion = "";

  return {
    find(version, asked) {
      if (version.id !== ofVersion) return undefined;
      const found = pages.get(asked);
      if (found === undefined) return undefined;
      // The first entry of a map is the one that came longest ago.
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

/** All that a page depends on beside its version; null where the address carries a key: such answers are nobody else's. */
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
