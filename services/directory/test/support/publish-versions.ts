/** Publishes versions without an index, as an import does. */
import type { StoredItem } from "../../src/domain/catalogue.ts";
import type { PublishedVersions, Staging } from "../../src/domain/published-versions.ts";
import { collected } from "./stored-item.ts";

export async function publishAll(versions: PublishedVersions, items: readonly StoredItem[]): Promise<void> {
  const staging = await versions.stage(0);
  await staging.upsert(items, 0);
  await staging.upsertLabels([{ slug: "art", label: "Art", uses: 1 }]);
  await finish(staging);
}

export async function finish(staging: Staging, keep?: number): Promise<void> {
  await staging.publish({ hash: String(staging.number).padStart(64, "0"), items: 0, at: 0, cause: "test" });
  if (keep !== undefined) await staging.prune(keep);
  await staging.close();
}

export async function slugs(versions: PublishedVersions, version: number): Promise<string[]> {
  return (await collected(versions.items(version))).map(({ item }) => `${item.type}/${item.slug}`);
}
