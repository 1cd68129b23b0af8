/** Gives up an exchange that takes too long. */

/**
 * Runs it with a signal that is aborted after so many milliseconds. `AbortSignal.timeout` would go off for every exchange, long after its
 * answer, and each time make an error that nobody reads.
 */
export async function within<T>(milliseconds: number, exchange: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const giving = new AbortController();
  const timer = setTimeout(() => {
    giving.abort(new DOMException(`There was no answer within ${milliseconds} ms.`, "TimeoutError"));
  }, milliseconds);
  try {
    return await exchange(giving.signal);
  } finally {
    clearTimeout(timer);
  }
}
