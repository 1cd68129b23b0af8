/** Runs work on many items at once, and hands over the results in the order of the items. */

export interface InOrder<Item, Result> {
  /** Upper bound of running work and of results that wait for an earlier one. */
  readonly concurrency: number;
  work(item: Item): Promise<Result>;
  /** Runs one at a time. */
  onResult(result: Result, item: Item): Promise<void>;
  /** False ends the run before the item: started work still finishes. */
  mayStart?(item: Item): boolean;
}

/**
 * Returns whether every item was started. After a failure, started work finishes and its results are dropped, because they would leave a
 * gap.
 */
export async function inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  { concurrency, work, onResult, mayStart = () => true }: InOrder<Item, Result>,
): Promise<boolean> {
  const running: { readonly item: Item; readonly result: Promise<Result> }[] = [];
  const settleFirst = async () => {
    const first = running.shift();
    if (first !== undefined) await onResult(await first.result, first.item);
  };
  let isComplete = true;
  try {
    for await (const item of items) {
      while (running.length >= concurrency) await settleFirst();
      // What an item may cost is known when the earlier ones have ended.
      while (!mayStart(item) && running.length > 0) await settleFirst();
      if (!mayStart(item)) {
        isComplete = false;
        break;
      }
      const result = work(item);
      // Awaited in its turn; a rejection before that must not end the process.
      result.catch(() => undefined);
      running.push({ item, result });
    }
    while (running.length > 0) await settleFirst();
    return isComplete;
  } finally {
    await Promise.allSettled(running.map(({ result }) => result));
  }
}
