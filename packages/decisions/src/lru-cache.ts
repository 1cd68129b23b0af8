/**
 * Remembers what was asked for lately, in two halves: when the newer one is full it becomes the older, and what that held is forgotten at
 * once. (A map that forgets its oldest entry for each new one walks over the places of all that are gone.)
 */
export interface LruCache<T> {
  get(key: string): T | undefined;
  /** `weight`: its part of what may be held, 1 by default. What is heavier than a half is not kept. */
  set(key: string, value: T, weight?: number): void;
}

interface Entry<T> {
  readonly value: T;
  readonly weight: number;
}

/** Holds at most `most`; what is asked for again stays. */
export function createLruCache<T>(most: number): LruCache<T> {
  let newer = new Map<string, Entry<T>>();
  let older = new Map<string, Entry<T>>();
  let usedWeight = 0;
  return {
    get(key) {
      const found = newer.get(key);
      if (found !== undefined) return found.value;
      const before = older.get(key);
      if (before !== undefined) keep(key, before);
      return before?.value;
    },
    set: (key, value, weight = 1) => keep(key, { value, weight }),
  };

  function keep(key: string, entry: Entry<T>): void {
    const { weight } = entry;
    if (weight > most / 2) return;
    if (usedWeight + weight > most / 2) {
      older = newer;
      newer = new Map();
      usedWeight = 0;
    }
    newer.set(key, entry);
    usedWeight += weight;
  }
}
