/**
 * Answers of the store that hold until anybody commits anything: read by many callers at once and again and again, they are asked for
 * once. Where the engine does not tell of commits, each is asked for each time.
 */
import type { Database } from "@triptych/storage";

/** Asks, unless the answer to the same question is known and nothing was committed since. What it answers is shared: nobody may change it. */
export type QueryCache<T> = (question: string, ask: () => Promise<T>) => Promise<T>;

const ANSWERS_MAX = 2_000;

export function createRecall<T>({ version }: Pick<Database<unknown>, "version">): QueryCache<T> {
  const answers = new Map<string, Promise<T>>();
  let cachedVersion: number | null = null;
  return (question, ask) => {
    // Before the question: what is committed meanwhile makes the answer newer than it says, never older.
    const present = version();
    if (present === null) return ask();
    if (present !== cachedVersion || answers.size >= ANSWERS_MAX) answers.clear();
    cachedVersion = present;
    const cached = answers.get(question);
    if (cached !== undefined) return cached;
    const answer = ask();
    answers.set(question, answer);
    // A fault is nobody's answer but that of who asked.
    answer.catch(() => answers.delete(question));
    return answer;
  };
}
