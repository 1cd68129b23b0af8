import { sql, type Kysely, type SqlBool } from "@triptych/storage";
import type { Addresses } from "../domain/published-versions.ts";
import { padInList } from "./batching.ts";
import type { DirectoryTables } from "./tables.ts";

export function createAddresses(db: Kysely<DirectoryTables>, keep: readonly string[] | "all"): Addresses {
  return {
    async slugsOf(sourceName, sourceIds) {
      if (sourceIds.length === 0) return new Map();
      const ids = padInList(sourceIds);
      const [retired, rows] = await Promise.all([
        db
          .selectFrom("retired_slug")
          .select(["source_id", "type", "slug"])
          .where("source_name", "=", sourceName)
          .where("source_id", "in", ids)
          .execute(),
        db
          .selectFrom("item")
          .select(["source_id", "type", "slug"])
          .where("source_name", "=", sourceName)
          .where("source_id", "in", ids)
          .orderBy("from_version")
          .execute(),
      ]);
      return new Map([...retired, ...rows].map(({ source_id, type, slug }) => [source_id, { type, slug }]));
    },

    async ownersOf(type, slugs) {
      if (slugs.length === 0) return new Map();
      const published = sql<number>`(select coalesce(max(number), 0) from version)`;
      const rows = await db
        .selectFrom("item")
        .select(["slug", "source_name", "source_id", "to_version"])
        .where("type", "=", type)
        .where("slug", "in", padInList(slugs))
        // Current rows, and published rows that the staging has left out so far.
        .where(({ eb, or }) => or([eb("to_version", "is", null), eb("to_version", ">", published)]))
        .where(({ eb, or }) =>
          keep === "all"
            ? sql<SqlBool>`1 = 1`
            : or([eb("source_name", "in", [...keep]), eb("from_version", ">", published)]),
        )
        .execute();
      const living = rows.toSorted((a, b) => Number(b.to_version !== null) - Number(a.to_version !== null));
      return new Map(
        living.map(({ slug, source_name, source_id }) => [slug, { sourceName: source_name, sourceId: source_id }]),
      );
    },
  };
}
