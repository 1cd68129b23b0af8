/** Sitemaps of all item pages (sitemaps.org): one file, or an index of files where there are more. */
import { LRUCache } from "lru-cache";
import { NO_FILTERS, type Catalogue, type NormalQuery } from "../domain/catalogue.ts";

/** Fewer than the protocol's 50,000, because a file is rendered for anyone who asks, in a tenth of a second. */
const URLS_MAX = 10_000;
/** Each has about a megabyte. */
const CACHED_FILES = 8;
const XMLNS = "http://www.sitemaps.org/schemas/sitemap/0.9";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const FILE_NAME = /^([1-9]\d{0,5})\.xml$/;

export interface Sitemaps {
  index(catalogue: Catalogue, origin: string): Promise<string>;
  /** @param name `1.xml` and so on; null for a file that does not exist. */
  page(catalogue: Catalogue, origin: string, name: string | undefined): Promise<string | null>;
}

export function createSitemaps(): Sitemaps {
  // Promises, so that concurrent requests share one rendering.
  const files = new LRUCache<string, Promise<string>>({ max: CACHED_FILES });
  const file = (catalogue: Catalogue, origin: string, page: number): Promise<string> => {
    const key = `${catalogue.version().id} ${page}`;
    const cached = files.get(key);
    if (cached !== undefined) return cached;
    const rendered = renderFile(catalogue, origin, page);
    files.set(key, rendered);
    rendered.catch(() => files.delete(key));
    return rendered;
  };
  const countFiles = async (catalogue: Catalogue) => Math.ceil((await catalogue.meta()).totals.all / URLS_MAX);
  return {
    async index(catalogue, origin) {
      const count = await countFiles(catalogue);
      if (count <= 1) return file(catalogue, origin, 1);
      const entries = Array.from(
        { length: count },
        (_, at) => `<sitemap><loc>${origin}/sitemap/${at + 1}.xml</loc></sitemap>\n`,
      );
      return `${DECLARATION}<sitemapindex xmlns="${XMLNS}">\n${entries.join("")}</sitemapindex>\n`;
    },
    async page(catalogue, origin, name) {
      const [, number] = FILE_NAME.exec(name ?? "") ?? [];
      const page = Number(number);
      if (number === undefined || page > (await countFiles(catalogue))) return null;
      return file(catalogue, origin, page);
    },
  };
}

async function renderFile(catalogue: Catalogue, origin: string, page: number): Promise<string> {
  const window = { offset: (page - 1) * URLS_MAX, limit: URLS_MAX };
  const query: NormalQuery = { ...NO_FILTERS, ...window, sort: "title", variant: "summary" };
  const urls: string[] = [];
  for await (const { json } of catalogue.stream(query)) {
    // The engine's own JSON; type and slug need no escaping.
    const { type, slug, updated_at } = JSON.parse(Buffer.from(json).toString()) as Readonly<Record<string, string>>;
    urls.push(`<url><loc>${origin}/fiche/${type}/${slug}</loc><lastmod>${updated_at}</lastmod></url>\n`);
  }
  return `${DECLARATION}<urlset xmlns="${XMLNS}">\n${urls.join("")}</urlset>\n`;
}
