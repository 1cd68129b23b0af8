/** Finds suggestions with candidates from a table: the same as `nearestSlugs` of the memory engine. */
import { sql } from "@triptych/storage";
import { NEIGHBOURS, nearestSlugs, singleEdits, SLUG_ALPHABET } from "../../domain/index/correction.ts";
import { buildStringTable, compareBytes } from "../../domain/index/string-table.ts";
import { SLUG_MAX } from "../../domain/slug.ts";
import type { Db, Fragment } from "./index-tables.ts";

export interface SluggedRows {
  readonly db: Db;
  /** A table with a unique `slug`. */
  readonly from: Fragment;
  readonly where: Fragment;
}

export async function nearestStoredSlugs(rows: SluggedRows, slug: string, count: number): Promise<readonly string[]> {
  const slugs = await similarSlugs(rows, slug.slice(0, SLUG_MAX).toLowerCase());
  return nearestSlugs(buildStringTable(slugs), slug, { within: { from: 0, to: slugs.length }, count });
}

/** Slugs one edit away, and alphabetical neighbors, in byte order. */
async function similarSlugs({ db, from, where }: SluggedRows, target: string): Promise<string[]> {
  const { rows } = await sql<{ slug: string }>`
    select slug from ${from} where ${where} and slug = any(${[...singleEdits(target, SLUG_ALPHABET)]}::text[])
    union (select slug from ${from} where ${where} and slug < ${target} order by slug desc limit ${NEIGHBOURS})
    union (select slug from ${from} where ${where} and slug >= ${target} order by slug limit ${NEIGHBOURS})`.execute(
    db,
  );
  return rows.map((row) => row.slug).sort(compareBytes);
}
