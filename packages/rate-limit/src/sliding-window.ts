/**
 * Exact sliding window: one ring per key holds the times of its last `limit` accepted requests. The span is half-open.
 * (Counters, buckets and GCRA allow up to twice the limit.) Rings share slabs, which need a third less memory than one
 * array per key. Each new ring checks two other rings for idle keys, which bounds memory without a timer. If the clock
 * steps back, stored times move with it, so no caller waits longer than one span.
 */

export interface SlidingWindow {
  /** Counts a request of the key at `now` (integer ms) if the limit allows it. */
  take(key: string, limit: number, now: number): WindowState & { readonly accepted: boolean };
  peek(key: string, limit: number, now: number): WindowState;
  /** Restores a time counted before a restart; times of a key must ascend. */
  restore(key: string, limit: number, at: number): void;
  readonly size: number;
}

export interface WindowState {
  readonly remaining: number;
  readonly resetMs: number;
}

const MINUTE_MS = 60_000;

/** `spanMs` is a minute except in tests. */
export function createSlidingWindow(spanMs = MINUTE_MS): SlidingWindow {
  const rings = new Map<string, Ring>();
  const slabs = new Map<number, Slabs>();
  let sweep = rings.entries();

  return {
    take(key, limit, now) {
      const ring = ringOf(key, limit, now);
      if (ring.count > 0 && now < newestOf(ring)) shift(ring, now - newestOf(ring));
      forget(ring, now - spanMs);

      const accepted = ring.count < limit;
      if (accepted) push(ring, now);
      return { accepted, remaining: limit - ring.count, resetMs: oldestOf(ring) + spanMs - now };
    },
    peek(key, limit, now) {
      const ring = rings.get(key);
      if (ring === undefined) return { remaining: limit, resetMs: 0 };
      let past = 0;
      while (past < ring.count && timeAt(ring, past) <= now - spanMs) past += 1;
      // `take` handles a clock that stepped back, so no caller waits longer than one span.
      const resetMs = past === ring.count ? 0 : Math.min(spanMs, timeAt(ring, past) + spanMs - now);
      return { remaining: Math.max(0, limit - (ring.count - past)), resetMs };
    },
    restore(key, limit, at) {
      const ring = ringOf(key, limit, at);
      if (ring.count === limit) dropOldest(ring);
      push(ring, at);
    },
    get size() {
      return rings.size;
    },
  };

  function ringOf(key: string, limit: number, now: number): Ring {
    const existing = rings.get(key);
    if (existing?.size === limit) return existing;

    // Remove the key first: a ring that is released twice would later belong to two keys.
    rings.delete(key);
    dropIdle(now);
    dropIdle(now);
    const ring = slabsOf(limit).take();
    if (existing !== undefined) move(existing, ring);
    rings.set(key, ring);
    return ring;
  }

  /** Checks the next ring in rotation. Map iterators tolerate insertions and deletions. */
  function dropIdle(now: number): void {
    const next = sweep.next();
    if (next.done === true) {
      sweep = rings.entries();
      return;
    }
    const [key, ring] = next.value;
    if (ring.count > 0 && newestOf(ring) > now - spanMs) return;
    rings.delete(key);
    slabsOf(ring.size).give(ring);
  }

  /** After a limit change, keeps the newest times that fit. */
  function move(from: Ring, to: Ring): void {
    const copied = Math.min(from.count, to.size);
    for (let index = from.count - copied; index < from.count; index++) push(to, timeAt(from, index));
    slabsOf(from.size).give(from);
  }

  function slabsOf(size: number): Slabs {
    let found = slabs.get(size);
    if (found === undefined) slabs.set(size, (found = createSlabs(size)));
    return found;
  }
}

/** A circular buffer of `size` times from `start` in `slab`: the oldest at `head`, `count` in use. */
interface Ring {
  readonly slab: Float64Array;
  readonly start: number;
  readonly size: number;
  head: number;
  count: number;
}

function timeAt(ring: Ring, index: number): number {
  const slot = ring.head + index;
  return ring.slab[ring.start + (slot < ring.size ? slot : slot - ring.size)] ?? NaN;
}

function oldestOf(ring: Ring): number {
  return timeAt(ring, 0);
}

function newestOf(ring: Ring): number {
  return timeAt(ring, ring.count - 1);
}

function push(ring: Ring, at: number): void {
  const slot = ring.head + ring.count;
  ring.slab[ring.start + (slot < ring.size ? slot : slot - ring.size)] = at;
  ring.count += 1;
}

function forget(ring: Ring, until: number): void {
  while (ring.count > 0 && oldestOf(ring) <= until) dropOldest(ring);
}

function dropOldest(ring: Ring): void {
  ring.head = ring.head + 1 === ring.size ? 0 : ring.head + 1;
  ring.count -= 1;
}

function shift(ring: Ring, by: number): void {
  for (let slot = ring.start; slot < ring.start + ring.size; slot++) ring.slab[slot] = (ring.slab[slot] ?? 0) + by;
}

interface Slabs {
  take(): Ring;
  give(ring: Ring): void;
}

/** About 256 KB: large enough for low overhead, small enough for a service with ten keys. */
const SLAB_TIMES = 32_768;

/** Rings of one size. Slabs are never freed, so memory stays at the level of the busiest minute. */
function createSlabs(size: number): Slabs {
  const free: { slab: Float64Array; start: number }[] = [];
  let slab = new Float64Array(0);
  let next = 0;

  return {
    take() {
      const slot = free.pop() ?? fresh();
      return { ...slot, size, head: 0, count: 0 };
    },
    give({ slab, start }) {
      free.push({ slab, start });
    },
  };

  function fresh(): { slab: Float64Array; start: number } {
    if (next + size > slab.length) {
      slab = new Float64Array(Math.max(size, SLAB_TIMES - (SLAB_TIMES % size)));
      next = 0;
    }
    const start = next;
    next += size;
    return { slab, start };
  }
}
