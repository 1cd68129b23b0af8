/** A table read from its beginning to its end, a page at a time, each page beginning behind the last row of the one before. */

export interface PageReading<T, Place> {
  readonly start: Place;
  readonly read: (after: Place, limit: number) => Promise<readonly T[]>;
  readonly place: (row: T) => Place;
}

const PAGE = 2_000;

export async function* pages<T, Place>({ start, read, place }: PageReading<T, Place>): AsyncGenerator<readonly T[]> {
  let after = start;
  for (;;) {
    const page = await read(after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (page.length < PAGE) return;
    after = place(last);
    // Embedded, reads are done on the spot: others get their turn between two pages.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
