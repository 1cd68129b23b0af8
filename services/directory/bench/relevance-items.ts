/** The items of the relevance bench: the sample and the four shared files, imported with the mappings of the docs. */
import { createReadStream, existsSync, readFileSync } from "node:fs";
import type { ItemType } from "@triptych/contracts";
import type { StoredItem, TagLabel } from "../src/domain/catalogue.ts";
import { createImport } from "../src/domain/import/import-run.ts";
import { parseMapping } from "../src/domain/import/mapping.ts";
import { EMPTY_SLUG_STORE } from "../src/domain/import/slug-registry.ts";
import { compareBytes } from "../src/domain/index/string-table.ts";
import { SAMPLE_TAGS, sampleItems } from "../src/domain/seed-data/sample-items.ts";

const FOLDER = new URL("../../../../shared/data/directory/", import.meta.url);
const MAPPINGS = new URL("../../../docs/mappings/", import.meta.url);
const NOW = new Date("2026-11-20T00:00:00.000Z");
const FILES: readonly (readonly [file: string, mapping: string, type: ItemType])[] = [
  ["culture-communes-basilic.tsv", "basilic", "place"],
  ["musees-de-france-base-museofile.csv", "museofile", "place"],
  ["bnlc-.csv", "bnlc", "place"],
  ["map_bzh_fablab.geojson", "fablabs", "actor"],
];

export interface BenchItems {
  /** Ascending by (type, slug). */
  readonly items: readonly StoredItem[];
  readonly tagLabels: readonly TagLabel[];
}

export const dataFolder = existsSync(FOLDER) ? FOLDER : null;

/** Slugs of one file never meet those of another: a colliding slug gets the file's name as a suffix. */
export async function readBenchItems(folder: URL): Promise<BenchItems> {
  const items = new Map<string, StoredItem>();
  const labels = new Map<string, string>();
  const add = (entry: StoredItem, suffix: string) => {
    const key = `${entry.item.type}/${entry.item.slug}`;
    if (!items.has(key)) return items.set(key, entry);
    const slug = `${entry.item.slug}-${suffix}`;
    return items.set(`${entry.item.type}/${slug}`, { ...entry, item: { ...entry.item, slug } });
  };
  for (const entry of sampleItems(NOW.getTime())) add(entry, "sample");
  for (const { slug, label } of SAMPLE_TAGS) labels.set(slug, label);
  for (const [file, name, type] of FILES) {
    const parsed = parseMapping(readFileSync(new URL(`${name}.json`, MAPPINGS), "utf8"));
    if ("issues" in parsed) throw new Error(`docs/mappings/${name}.json has ${parsed.issues.length} issues`);
    const run = createImport({ type, mapping: parsed.mapping, now: NOW, slugs: EMPTY_SLUG_STORE, outlines: null });
    const opened = await run.open({ path: file, bytes: createReadStream(new URL(file, folder)) });
    for await (const batch of run.rows(opened))
      for (const row of batch) if (row.kind === "accepted") add(row.item, name);
    for (const { slug, label } of run.tagLabels()) if (!labels.has(slug)) labels.set(slug, label);
  }
  return {
    items: [...items.values()].sort(
      (a, b) => compareBytes(a.item.type, b.item.type) || compareBytes(a.item.slug, b.item.slug),
    ),
    tagLabels: Array.from(labels, ([slug, label]) => ({ slug, label })),
  };
}
