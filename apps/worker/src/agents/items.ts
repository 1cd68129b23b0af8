/** An async iterable fed by callbacks: items in order, until `close`. The producer bounds the queue. */
export interface Items<T> extends AsyncIterable<T> {
  readonly push: (item: T) => void;
  readonly close: () => void;
}

export function createItems<T>(): Items<T> {
  let queue: T[] = [];
  let isClosed = false;
  let wake = () => {};

  return {
    push(item) {
      queue.push(item);
      wake();
    },
    close() {
      isClosed = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const taken = queue;
        queue = [];
        yield* taken;
        if (queue.length > 0) continue;
        if (isClosed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
