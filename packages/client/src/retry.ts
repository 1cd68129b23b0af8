/** Which failures are retried, and when. */
import { ProblemError } from "./problem-error.ts";

export interface RetryPolicy {
  /** Retries after the first attempt. Default 2. */
  readonly retries?: number;
  /** Maximum retry delay in milliseconds; if a longer one is needed, the error is thrown. Default 10 000. */
  readonly longestWaitMs?: number;
  /** A number from 0 to 1; injected by tests. */
  readonly random?: () => number;
  /** Resolves after the given milliseconds, or rejects when the signal aborts; injected by tests. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const FIRST_DELAY_MS = 200;
const TEMPORARY = new Set([408, 429, 502, 503, 504]);
const RETRIES = 2;
const LONGEST_WAIT_MS = 10_000;

/** Waits before the next attempt, or throws the error if it must not be retried. */
export async function delayOrThrow(
  error: unknown,
  { tried, policy, signal }: { readonly tried: number; readonly policy: RetryPolicy; readonly signal?: AbortSignal },
): Promise<void> {
  const { retries = RETRIES, longestWaitMs = LONGEST_WAIT_MS, wait = sleep, random = Math.random } = policy;
  const delay = signal?.aborted || tried >= retries ? null : delayFor(error, tried, random);
  if (delay === null || delay > longestWaitMs) throw error;
  await wait(delay, signal);
}

/**
 * Returns milliseconds, or null if a retry cannot help. Full jitter spreads the clients of a restarted server. A delay
 * requested by the server is a minimum, so jitter is added to it.
 */
function delayFor(error: unknown, tried: number, random: () => number): number | null {
  if (!(error instanceof ProblemError)) return random() * FIRST_DELAY_MS * 2 ** tried;
  const { status, retryAfter } = error;
  if (retryAfter !== null && (TEMPORARY.has(status) || status === 409))
    return retryAfter * 1000 + random() * FIRST_DELAY_MS;
  return TEMPORARY.has(status) ? random() * FIRST_DELAY_MS * 2 ** tried : null;
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(asError(signal.reason));
    const onAbort = () => {
      clearTimeout(timer);
      reject(asError(signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("aborted", { cause: reason });
}
