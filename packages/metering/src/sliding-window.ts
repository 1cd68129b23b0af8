/**
 * The exact window: at most `limit` accepted in ANY span of 60 s, whatever the pattern of arrivals. Each key keeps the times of its
 * last `limit` accepted requests in a ring; a request is accepted when the oldest of them has left, at exactly 60 000 ms, so the
 * span is half-open and a client at 2 requests a second is never refused by 120 a minute. (Counters, buckets and GCRA let up to
 * twice the limit through in some 60 s; that is why this is ours.)
 *
 * Rings lie in slabs, plain `Float64Array`s of many rings: a ring of 120 costs 960 bytes and one small object, where an array per
 * key costs a third more. Keys that have been silent for a span are dropped as new ones come: each new ring looks at two others, so
 * the rings held are at most about twice the keys active in a span, without a timer and without a pause.
 *
 * When the clock steps back, the remembered times move back with it, so that the newest is "now": their distances stay, no span of
 * real time lets more through, and nobody waits longer than one span for a clock that was wrong. A step forward cannot be told
 * from silence; it forgets what it jumps over.
 */

export interface SlidingWindow {
  /** Counts a request of the key at `now` (integer ms) if the window has room. */
  take(key: string, limit: number, now: number): WindowState & { readonly accepted: boolean };
  /** How it stands, counting nothing. */
  peek(key: string, limit: number, now: number): WindowState;
  /** Puts back a time that was counted before a restart; times of a key must rise. */
  restore(key: string, limit: number, at: number): void;
  /** Keys held now. */
  readonly size: number;
}

export interface WindowState {
  /** Requests still possible at this moment. */
  readonly remaining: number;
  /** Milliseconds until the oldest counted request leaves; 0 when there is none. */
  readonly resetMs: number;
}

export const MINUTE_MS = 60_000;

/** `spanMs` is a minute everywhere but in tests. */
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
      // A clock that has stepped back is told by `take`, which moves the times; nobody waits longer than a span.
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

    // Out of the sweep's reach first: a ring given back twice would later be two keys' at once.
    rings.delete(key);
    dropIdle(now);
    dropIdle(now);
    const ring = slabsOf(limit).take();
    if (existing !== undefined) move(existing, ring);
    rings.set(key, ring);
    return ring;
  }

  /** Looks at the next ring in turn. The iterator of a Map goes on rightly while entries come and go. */
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

  /** The limit of a key has changed: its newest times count on, as many as the new ring holds. */
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

/** `size` times from `start` in `slab`, used as a circle: the oldest at `head`, `count` of them. */
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

/** Drops the times up to and including `until`. */
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

/** About a quarter of a megabyte at a time: large enough to make the overhead vanish, small enough for ten keys. */
const SLAB_TIMES = 32_768;

/** Rings of one size. Slabs are kept once made: memory is what the busiest minute needed. */
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
