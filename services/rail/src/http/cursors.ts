/** Cursors of lists: what the next page begins below, in a form that nobody is tempted to compute with. */
import type { ValidationErrors } from "@triptych/server";

export const PAGE_DEFAULT = 50;

export function writeCursor(below: string | number): string {
  return Buffer.from(String(below)).toString("base64url");
}

/** The text behind a cursor, or null where none was sent; one that was not ours is a fault. */
export function readCursor(cursor: string | undefined, pattern: RegExp, faults: ValidationErrors): string | null {
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, "base64url").toString();
  if (pattern.test(text) && writeCursor(text) === cursor) return text;
  faults.add({ path: "?cursor", reason: "wrong_form", message: "`cursor` is no `next_cursor` of this list." });
  return null;
}

/** A page from one item more than it holds: whether there is another. */
export function pageOf<T>(items: readonly T[], limit: number, below: (last: T) => string | number) {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return { items: page, next_cursor: items.length > limit && last !== undefined ? writeCursor(below(last)) : null };
}
