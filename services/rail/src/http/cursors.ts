/** List cursors: the position of the next page in an opaque encoding. */
import type { ValidationErrors } from "@triptych/server";

export const PAGE_DEFAULT = 50;

export function writeCursor(below: string | number): string {
  return Buffer.from(String(below)).toString("base64url");
}

/** Returns the decoded cursor, or null if absent. An invalid cursor is a validation error. */
export function readCursor(cursor: string | undefined, pattern: RegExp, errors: ValidationErrors): string | null {
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, "base64url").toString();
  if (pattern.test(text) && writeCursor(text) === cursor) return text;
  errors.add({ path: "?cursor", reason: "wrong_form", message: "`cursor` must be a `next_cursor` of this list." });
  return null;
}

/** Builds a page from `limit` + 1 items; the extra item shows that another page follows. */
export function pageOf<T>(items: readonly T[], limit: number, below: (last: T) => string | number) {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return { items: page, next_cursor: items.length > limit && last !== undefined ? writeCursor(below(last)) : null };
}
