/** Processes many items concurrently, and delivers the results in the order of the items. */

export interface InOrder<Item, Result> {
  /** Maximum number of items that are being processed or wait for an earlier result. */
  readonly concurrency: number;
  work(item: Item): Promise<Result>;
  /** Called for one result at a time. */
  onResult(result: Result, item: Item): Promise<void>;
  /** If it returns false, the run ends before this item; started work still finishes. */
  mayStart?(item: Item): boolean;
}

/**
 * Returns whether every item was started. After a failure, started work finishes, but its results are dropped, because
 * they would leave a gap.
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
      // Whether the item may start can depend on earlier ones, so let them finish first.
      while (!mayStart(item) && running.length > 0) await settleFirst();
      if (!mayStart(item)) {
        isComplete = false;
        break;
      }
      const result = work(item);
      // The result is awaited later; until then, a rejection must not end the process.
      result.catch(() => undefined);
      running.push({ item, result });
    }
    while (running.length > 0) await settleFirst();
    return isComplete;
  } finally {
    await Promise.allSettled(running.map(({ result }) => result));
  }
}
