/** Generated items as an import file, with its mapping. */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { benchData } from "./generated-items.ts";
import { inBatches } from "./peers-query.ts";

const MAPPING = {
  source: { name: "bench", licence: "CC0-1.0" },
  id: "id",
  type: { from: "type", map: { actor: "actor", place: "place", article: "article" } },
  title: "title",
  summary: "summary",
  description: "description",
  website: "website",
  created_at: "day",
  updated_at: "day",
  address: { rue: "rue", code_postal: "code_postal" },
  location: { lat: "lat", lon: "lon" },
  commune: { from: "code_insee", by: "code", nom: "commune" },
  tags: { from: "themes", split: "|" },
  extra: ["edition"],
};

/** @param version a mark in every item's `extra`, to distinguish versions. */
export async function writeImportFile(path: string, items: number, version: string): Promise<void> {
  const data = benchData(items);
  const labels = new Map(data.tagLabels.map(({ slug, label }) => [slug, label]));
  const file = createWriteStream(path);
  for (const batch of inBatches(data.items(), 1000)) {
    const lines = batch.map(({ sourceId, item }) =>
      JSON.stringify({
        id: sourceId,
        type: item.type,
        title: item.title,
        summary: item.summary,
        description: item.description,
        website: item.website,
        day: item.updated_at,
        rue: item.address?.rue,
        code_postal: item.address?.code_postal,
        lat: item.location?.lat,
        lon: item.location?.lon,
        code_insee: item.commune?.code,
        commune: item.commune?.nom,
        themes: item.tags.map((tag) => labels.get(tag)).join("|"),
        version,
      }),
    );
    if (!file.write(`${lines.join("\n")}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
}

export async function writeMapping(path: string): Promise<void> {
  await writeFile(path, JSON.stringify(MAPPING));
}
