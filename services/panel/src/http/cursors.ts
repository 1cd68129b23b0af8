/** Cursors of lists: the id below which the next page starts, in an opaque form. */
import { PAGE_SIZE } from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import type { Page } from "../domain/records.ts";

export const ID = /^[a-z]{3}_[0-9a-z]{26}$/;

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Fetches one more row than shown, to detect another page. */
export function readPage({ limit = PAGE_SIZE, cursor }: PageQuery, errors: ValidationErrors): Page {
  const below = cursor === undefined ? null : Buffer.from(cursor, "base64url").toString();
  if (below !== null && !ID.test(below))
    errors.add({ path: "?cursor", reason: "wrong_form", message: "`cursor` must be a `next_cursor` of this list." });
  return { below, limit: limit + 1 };
}

export function pageOf<T extends { readonly id: string }>(rows: readonly T[], { limit }: Page) {
  const records = rows.slice(0, limit - 1);
  const last = rows.length === limit ? records.at(-1) : undefined;
  return { records, next_cursor: last === undefined ? null : Buffer.from(last.id).toString("base64url") };
}
