/**
 * Caches query results until any commit; concurrent reads share one query. On an engine that does not report commits, every call queries.
 */
import type { Database } from "@triptych/storage";

/** Runs the query unless a result since the last commit is cached. Results are shared and must not be modified. */
export type QueryCache<T> = (key: string, load: () => Promise<T>) => Promise<T>;

const RESULTS_MAX = 2_000;

export function createQueryCache<T>({ version }: Pick<Database<unknown>, "version">): QueryCache<T> {
  const results = new Map<string, Promise<T>>();
  let cachedVersion: number | null = null;
  return (key, load) => {
    // Read before the query, so that a concurrent commit can make the result newer than its version, but never older.
    const present = version();
    if (present === null) return load();
    if (present !== cachedVersion || results.size >= RESULTS_MAX) results.clear();
    cachedVersion = present;
    const cached = results.get(key);
    if (cached !== undefined) return cached;
    const result = load();
    results.set(key, result);
    // Errors are not cached.
    result.catch(() => results.delete(key));
    return result;
  };
}
