/**
 * A two-generation cache: when the newer half is full, the older one is dropped. (A map that evicts one entry at a time
 * scans over deleted slots.)
 */
export interface LruCache<T> {
  get(key: string): T | undefined;
  /**
   * `weight`: how much of the capacity the entry takes, default 1. Entries heavier than half the capacity are not
   * stored.
   */
  set(key: string, value: T, weight?: number): void;
}

interface Entry<T> {
  readonly value: T;
  readonly weight: number;
}

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
