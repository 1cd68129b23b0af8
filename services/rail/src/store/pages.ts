/** Reads a table page by page, each page starting after the last row of the previous one. */
export interface PageReading<T, Cursor> {
  readonly start: Cursor;
  readonly read: (after: Cursor, limit: number) => Promise<readonly T[]>;
  readonly cursorOf: (row: T) => Cursor;
}

const PAGE = 2_000;

export async function* pages<T, Cursor>({
  start,
  read,
  cursorOf,
}: PageReading<T, Cursor>): AsyncGenerator<readonly T[]> {
  let after = start;
  for (;;) {
    const page = await read(after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (page.length < PAGE) return;
    after = cursorOf(last);
    // Embedded reads block this thread, so yield between pages.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Parameters per statement. An installation has few gateways, and voiding a boot affects at most a few thousand
 * wallets.
 */
const NAMES_AT_ONCE = 1_024;

/** Splits a list into chunks that fit one statement. */
export function chunks<T>(all: readonly T[], size = NAMES_AT_ONCE): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}
