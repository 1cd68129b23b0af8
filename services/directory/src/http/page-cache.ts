/** LRU cache of rendered pages. Quota headers and billing are added per request. */
import { LRUCache } from "lru-cache";
import type { RenderedPage } from "./render-page.ts";

/** @param key covers everything that the page depends on. Returns the cached page, or renders and caches it. */
export type PageCache = (key: string, render: () => Promise<RenderedPage>) => Promise<RenderedPage>;

const LARGEST_SHARE = 16;
/** Estimated size of headers and map entry per page. */
const ENTRY_BYTES = 1000;

/** @param maxBytes total size; 0 disables the cache. */
export function createPageCache(maxBytes: number): PageCache {
  if (maxBytes === 0) return (_key, render) => render();
  const pages = new LRUCache<string, RenderedPage>({
    maxSize: maxBytes,
    maxEntrySize: Math.ceil(maxBytes / LARGEST_SHARE),
    sizeCalculation: ({ body }, key) => body.length + key.length * 2 + ENTRY_BYTES,
  });
  return async (key, render) => {
    const cached = pages.get(key);
    if (cached !== undefined) return cached;
    const page = await render();
    pages.set(key, page);
    return page;
  };
}
