/** Communes by name. A name without an INSEE code in any item has no codes. */
import type { Commune, CommuneLookup, ItemFields } from "../catalogue.ts";
import { communeSlug, communeSlugOf, inseeOf } from "../filter-keys.ts";
import { nearestSlugs } from "./correction.ts";
import { countLabels } from "./label-counts.ts";
import { compareBytes, positionOf, sizeOf, stringAt, type StringTable } from "./string-table.ts";

export interface CountedCommune extends Commune {
  readonly count: number;
}

export interface CommuneCollector {
  add(item: Pick<ItemFields, "commune">): void;
  /** In byte order of the slugs. */
  finish(): readonly CountedCommune[];
}

export function collectCommunes(): CommuneCollector {
  const labels = countLabels();
  const codes = new Map<string, Set<string>>();
  return {
    add(item) {
      const slug = communeSlugOf(item);
      if (slug === null) return;
      labels.add(slug, item.commune?.nom ?? "");
      const code = inseeOf(item);
      if (code === null) return;
      const known = codes.get(slug);
      if (known === undefined) codes.set(slug, new Set([code]));
      else known.add(code);
    },
    finish: () =>
      labels.finish().map(({ key, label, count }) => ({
        slug: key,
        label,
        count,
        codes: [...(codes.get(key) ?? [])].sort(compareBytes),
      })),
  };
}

export const SUGGESTIONS_MAX = 3;

/** The tables are parallel: slugs in byte order, labels, and codes joined by a space. */
export interface CommuneTables {
  readonly slugs: StringTable;
  readonly labels: StringTable;
  readonly codes: StringTable;
}

export function findCommunes(tables: CommuneTables, name: string): CommuneLookup {
  const slug = communeSlug(name);
  const exact = positionOf(tables.slugs, slug);
  const positions = exact >= 0 ? [exact] : equalWithoutSeparators(tables.slugs, slug);
  if (positions.length > 0) return { found: positions.map((position) => communeAt(tables, position)), suggestions: [] };
  const within = { from: 0, to: sizeOf(tables.slugs) };
  const near = nearestSlugs(tables.slugs, slug, { within, count: SUGGESTIONS_MAX });
  return { found: [], suggestions: near.map((found) => communeAt(tables, positionOf(tables.slugs, found)).label) };
}

function communeAt({ slugs, labels, codes }: CommuneTables, position: number): Commune {
  return {
    slug: stringAt(slugs, position),
    label: stringAt(labels, position),
    codes: stringAt(codes, position).split(" ").filter(Boolean),
  };
}

/** Scans all names: only for names that no item has as written. */
function equalWithoutSeparators(slugs: StringTable, slug: string): number[] {
  const compact = withoutSeparators(slug);
  if (compact === "") return [];
  const found: number[] = [];
  for (let position = 0; position < sizeOf(slugs); position++) {
    const length = slugs.starts[position + 1] - slugs.starts[position];
    if (length >= compact.length && withoutSeparators(stringAt(slugs, position)) === compact) found.push(position);
  }
  return found;
}

export function withoutSeparators(slug: string): string {
  return slug.replaceAll("-", "");
}
