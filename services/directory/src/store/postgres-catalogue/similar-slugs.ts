/** Candidates for suggestions: the same as in `nearestSlugs` of the memory engine. */
import { sql } from "@triptych/storage";
import { NEIGHBOURS, singleEdits, SLUG_ALPHABET } from "../../domain/index/correction.ts";
import { compareBytes } from "../../domain/index/string-table.ts";
import type { Db, Fragment } from "./index-tables.ts";

export interface SluggedRows {
  readonly db: Db;
  /** A table with a unique `slug`. */
  readonly from: Fragment;
  readonly where: Fragment;
}

/** Slugs one edit away, and alphabetical neighbors, in byte order. */
export async function similarSlugs({ db, from, where }: SluggedRows, target: string): Promise<string[]> {
  const { rows } = await sql<{ slug: string }>`
    select slug from ${from} where ${where} and slug = any(${[...singleEdits(target, SLUG_ALPHABET)]}::text[])
    union (select slug from ${from} where ${where} and slug < ${target} order by slug desc limit ${NEIGHBOURS})
    union (select slug from ${from} where ${where} and slug >= ${target} order by slug limit ${NEIGHBOURS})`.execute(
    db,
  );
  return rows.map((row) => row.slug).sort(compareBytes);
}
