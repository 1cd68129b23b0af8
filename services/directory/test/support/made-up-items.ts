/** Small made-up catalogues, for tests of what is found first. */
import { NO_FILTERS, type ItemFields, type Page, type StoredItem } from "../../src/domain/catalogue.ts";
import { departementByCode } from "../../src/domain/reference.ts";
import { createSynonyms } from "../../src/domain/search/synonyms.ts";
import { openInMemory } from "./open-in-memory.ts";
import { randomItems } from "./random-items.ts";
import { seeded } from "./random.ts";
import { slugOf } from "./stored-item.ts";

const SYNONYMS = createSynonyms([["air et espace", "aviation"]]);
const LABELS = [
  { slug: "musee", label: "Musée" },
  { slug: "parking", label: "Parking" },
];

interface Values {
  readonly commune?: string;
  /** Its code. */
  readonly departement?: string;
  readonly tags?: readonly string[];
  readonly description?: string;
}

export function item(
  slug: string,
  title: string,
  { commune, departement, tags = [], description = "" }: Values = {},
): StoredItem {
  const [plain] = randomItems(seeded(1), 1);
  const area = departement === undefined ? undefined : departementByCode(departement);
  const empty = { summary: "", departement: area ?? null, region: null, address: null, location: null };
  const town: ItemFields["commune"] = commune === undefined ? null : { code: null, nom: commune };
  return {
    ...plain,
    sourceId: slug,
    item: { ...plain.item, ...empty, slug, title, description, commune: town, tags: [...tags] },
  };
}

export async function search(
  items: readonly StoredItem[],
  text: string,
  { strict = false, synonyms = SYNONYMS } = {},
): Promise<Page> {
  const sorted = items.toSorted((a, b) => (a.item.slug < b.item.slug ? -1 : 1));
  const catalogue = await openInMemory(sorted, LABELS);
  const paging = { sort: "relevance", offset: 0, limit: 10, variant: "summary" } as const;
  return catalogue.search({ ...NO_FILTERS, synonyms, text, strict, ...paging });
}

export async function ranked(items: readonly StoredItem[], text: string): Promise<string[]> {
  return (await search(items, text)).hits.map(slugOf);
}
