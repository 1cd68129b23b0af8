/**
 * Caches query results until any commit; concurrent reads share one query. On an engine that does not report commits, every call queries.
 */
import type { Database } from "@triptych/storage";

/** Runs the query unless a result since the last commit is cached. Results are shared and must not be modified. */
export type QueryCache<T> = (question: string, ask: () => Promise<T>) => Promise<T>;

const ANSWERS_MAX = 2_000;

export function createRecall<T>({ version }: Pick<Database<unknown>, "version">): QueryCache<T> {
  const answers = new Map<string, Promise<T>>();
  let cachedVersion: number | null = null;
  return (question, ask) => {
    // Read before the query: a concurrent commit then makes the result newer than its version, never older.
    const present = version();
    if (present === null) return ask();
    if (present !== cachedVersion || answers.size >= ANSWERS_MAX) answers.clear();
    cachedVersion = present;
    const cached = answers.get(question);
    if (cached !== undefined) return cached;
    const answer = ask();
    answers.set(question, answer);
    // Errors are not cached.
    answer.catch(() => answers.delete(question));
    return answer;
  };
}
