/**
 * Terminating a thread inside native code crashes the process (node-addon-api throws into a destroyed environment).
 * Native calls therefore take a lock shared by two threads, and the terminating thread closes it first. It waits for
 * the current call, which is at most one text.
 */
export type NativeGate = Int32Array<SharedArrayBuffer>;

const FREE = 0;
const INSIDE = 1;
const CLOSED = 2;
/** A model run that hangs must not block shutdown. */
const LONGEST_WAIT_MS = 10_000;

export function createNativeGate(): NativeGate {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export async function withNativeLock<T>(gate: NativeGate, work: () => Promise<T>): Promise<T> {
  if (Atomics.compareExchange(gate, 0, FREE, INSIDE) !== FREE) throw new Error("The thread is terminating.");
  try {
    return await work();
  } finally {
    Atomics.store(gate, 0, FREE);
    Atomics.notify(gate, 0);
  }
}

/** Resolves when no call is inside and none can enter. */
export async function closeGate(gate: NativeGate): Promise<void> {
  const until = performance.now() + LONGEST_WAIT_MS;
  while (Atomics.compareExchange(gate, 0, FREE, CLOSED) === INSIDE) {
    const left = until - performance.now();
    if (left <= 0) return;
    await Atomics.waitAsync(gate, 0, INSIDE, left).value;
  }
}
