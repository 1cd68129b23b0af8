/**
 * A long text stored in rows of one database page each. A catalogue reads blocks on demand through a bounded LRU cache.
 * Versions are immutable, so cached blocks never become stale.
 */
import { readPrepared, sql } from "@triptych/storage";
import { NOT_WHOLE, type Db, type IndexTables } from "./index-tables.ts";
import { integerArray } from "./integer-array.ts";

/** With the row header it fills a page of 8 KiB; columns 2, 5 and 6 characters wide end at its end. */
export const BLOCK = 7680;
const WRITTEN_AT_ONCE = 500;

export interface BlockWriter {
  position(): number;
  append(text: Uint8Array): Promise<void>;
  /** Pads to the start of a block; returns the position. */
  align(): Promise<number>;
  finish(): Promise<void>;
}

export function createBlockWriter(db: Db, { block }: Pick<IndexTables, "block">): BlockWriter {
  const filling = Buffer.alloc(BLOCK);
  let filled = 0;
  let first = 0;
  let pending: string[] = [];

  const flush = async () => {
    if (pending.length === 0) return;
    const numbers = pending.map((_, at) => first + at);
    await sql`insert into ${block} (number, text) select * from unnest(${numbers}::integer[], ${pending}::text[])`.execute(
      db,
    );
    first += pending.length;
    pending = [];
  };
  const endBlock = async () => {
    pending.push(filling.toString("latin1", 0, filled));
    filled = 0;
    if (pending.length === WRITTEN_AT_ONCE) await flush();
  };
  const position = () => (first + pending.length) * BLOCK + filled;

  return {
    position,
    async append(text) {
      for (let from = 0; from < text.length;) {
        const taken = Math.min(text.length - from, BLOCK - filled);
        filling.set(text.subarray(from, from + taken), filled);
        filled += taken;
        from += taken;
        if (filled === BLOCK) await endBlock();
      }
    },
    async align() {
      if (filled > 0) await endBlock();
      return position();
    },
    async finish() {
      if (filled > 0) await endBlock();
      await flush();
    },
  };
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface BlockReader {
  /** The text of each span; one statement reads all missing blocks. */
  read(spans: readonly Span[]): Promise<Uint8Array[]>;
}

export function createBlockReader(
  db: Db,
  { block }: Pick<IndexTables, "block">,
  { cacheBytes }: { readonly cacheBytes: number },
): BlockReader {
  // LRU: a Map iterates in insertion order.
  const cache = new Map<number, Uint8Array>();
  const most = Math.max(1, Math.floor(cacheBytes / BLOCK));

  const keep = (number: number, text: Uint8Array) => {
    cache.delete(number);
    cache.set(number, text);
    const [oldest] = cache.keys();
    if (cache.size > most && oldest !== undefined) cache.delete(oldest);
  };

  const find = async (numbers: readonly number[]): Promise<Map<number, Uint8Array>> => {
    const found = new Map<number, Uint8Array>();
    const missing: number[] = [];
    for (const number of numbers) {
      const text = cache.get(number);
      if (text === undefined) missing.push(number);
      else found.set(number, text);
    }
    if (missing.length > 0) {
      const rows = await readPrepared(
        db,
        sql<{ number: number; text: string }>`
          select number, text from ${block} where number = any(${integerArray(missing)}::integer[])`,
      );
      for (const { number, text } of rows) found.set(number, Buffer.from(text, "latin1"));
      if (rows.length !== missing.length) throw new Error(NOT_WHOLE);
    }
    // Marked as used and evicted only now, so that no block of this query is evicted while it awaits others.
    for (const [number, text] of found) keep(number, text);
    return found;
  };

  return {
    async read(spans) {
      const numbers = new Set<number>();
      for (const { from, to } of spans) for (let at = blockOf(from); at * BLOCK < to; at++) numbers.add(at);
      const found = await find([...numbers]);
      return spans.map((span) => cut(found, span));
    },
  };
}

function blockOf(position: number): number {
  return Math.floor(position / BLOCK);
}

function cut(blocks: ReadonlyMap<number, Uint8Array>, { from, to }: Span): Uint8Array {
  const block = blocks.get(blockOf(from));
  const start = from - blockOf(from) * BLOCK;
  if (block !== undefined && start + to - from <= block.length) return block.subarray(start, start + to - from);
  const whole = new Uint8Array(to - from);
  for (let at = blockOf(from); at * BLOCK < to; at++) {
    const begins = at * BLOCK;
    const text = blocks.get(at);
    if (text !== undefined)
      whole.set(
        text.subarray(Math.max(0, from - begins), Math.min(text.length, to - begins)),
        Math.max(0, begins - from),
      );
  }
  return whole;
}
