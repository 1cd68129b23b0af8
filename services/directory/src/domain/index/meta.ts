import type { CatalogueMeta, ItemFields, TagLabel } from "../catalogue.ts";
import { sourceSlug } from "../filter-keys.ts";
import { countLabels } from "./label-counts.ts";
import { compareBytes } from "./string-table.ts";

export interface MetaCollector {
  add(item: ItemFields): void;
  finish(): CatalogueMeta;
}

export function collectMeta(labels: ReadonlyMap<string, string>): MetaCollector {
  const totals = { all: 0, located: 0, actor: 0, place: 0, article: 0 };
  const departements = new Map<string, number>();
  const regions = new Map<string, number>();
  const tags = new Map<string, number>();
  const sources = countLabels();
  const licences = new Set<string>();
  const attribution = new Set<string>();
  let updatedAt = 0;
  let bbox: [number, number, number, number] | null = null;

  return {
    add(item) {
      totals.all++;
      totals[item.type]++;
      if (item.departement !== null) increment(departements, item.departement.code);
      if (item.region !== null) increment(regions, item.region.code);
      for (const tag of item.tags) increment(tags, tag);
      const slugs = new Set<string>();
      for (const { name } of item.sources) {
        const slug = sourceSlug(name);
        // An item counts once, even if it lists a source twice.
        if (!slugs.has(slug)) sources.add(slug, name);
        slugs.add(slug);
      }
      if (item.licence !== null) licences.add(item.licence);
      // The license is part of the line: share-alike data must be recognizable wherever it is displayed.
      for (const { name, licence } of item.sources) attribution.add(licence === null ? name : `${name} (${licence})`);
      updatedAt = Math.max(updatedAt, Date.parse(item.updated_at));
      if (item.location === null) return;
      totals.located++;
      const { lat, lon } = item.location;
      const [west, south, east, north] = bbox ?? [lon, lat, lon, lat];
      bbox = [Math.min(west, lon), Math.min(south, lat), Math.max(east, lon), Math.max(north, lat)];
    },
    finish: () => ({
      totals,
      updatedAt,
      departements: Object.fromEntries(departements),
      regions: Object.fromEntries(regions),
      tags: countedTags(tags, labels),
      sources: sources
        .finish()
        .map(({ key, label, count }) => ({ slug: key, label, count }))
        .sort((a, b) => b.count - a.count || compareBytes(a.slug, b.slug)),
      bbox,
      licences: [...licences].sort(compareBytes),
      attribution: [...attribution].sort(compareBytes),
    }),
  };
}

function countedTags(
  counts: ReadonlyMap<string, number>,
  labels: ReadonlyMap<string, string>,
): (TagLabel & { count: number })[] {
  return Array.from(counts, ([slug, count]) => ({ slug, label: labels.get(slug) ?? slug, count })).sort(
    (a, b) => b.count - a.count || compareBytes(a.slug, b.slug),
  );
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
