/**
 * A thread that is ended in the middle of native code takes the whole process with it (node-addon-api throws into an environment that is
 * gone). So native work goes through a gate that two threads share, and whoever ends a thread closes its gate first: what is inside is
 * waited for, one text at the most, and nothing enters any more. Plain JavaScript can be ended anywhere and needs no gate.
 */
export type NativeGate = Int32Array<SharedArrayBuffer>;

const FREE = 0;
const INSIDE = 1;
const CLOSED = 2;
/** A run of a model that hangs must not keep a process from ending. */
const LONGEST_WAIT_MS = 10_000;

export function createNativeGate(): NativeGate {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** One work at a time. Rejects where the gate is closed. */
export async function withNativeLock<T>(gate: NativeGate, work: () => Promise<T>): Promise<T> {
  if (Atomics.compareExchange(gate, 0, FREE, INSIDE) !== FREE) throw new Error("The thread is being ended.");
  try {
    return await work();
  } finally {
    Atomics.store(gate, 0, FREE);
    Atomics.notify(gate, 0);
  }
}

/** Resolves when nothing is inside, and nothing can be. */
export async function closeGate(gate: NativeGate): Promise<void> {
  const until = performance.now() + LONGEST_WAIT_MS;
  while (Atomics.compareExchange(gate, 0, FREE, CLOSED) === INSIDE) {
    const left = until - performance.now();
    if (left <= 0) return;
    await Atomics.waitAsync(gate, 0, INSIDE, left).value;
  }
}
