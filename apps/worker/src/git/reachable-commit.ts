/** Retries a git network command while the server is unreachable: runs outlive a panel restart. A refusal is final. */
import { GitError } from "@triptych/git";
import type { Clock } from "../run/clock.ts";

/** The same as for bundle uploads. */
const RETRY_TIMEOUT_MS = 600_000;
/** Few attempts after server errors, because the panel has already tried the forge. */
const SERVER_ERROR_ATTEMPTS_MAX = 4;
const RETRY_DELAY_MIN_MS = 250;
const RETRY_DELAY_MAX_MS = 5_000;

export async function reach<T>(clock: Clock, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  const since = clock.now();
  let answered = 0;
  for (let tries = 0; ; tries++) {
    try {
      return await act();
    } catch (error) {
      signal.throwIfAborted();
      const failure = error instanceof GitError ? classifyFailure(error.message) : "refused";
      if (failure === "answered") answered++;
      if (failure === "refused" || answered === SERVER_ERROR_ATTEMPTS_MAX || clock.now() - since > RETRY_TIMEOUT_MS)
        throw error;
    }
    const wait = Math.min(RETRY_DELAY_MAX_MS, RETRY_DELAY_MIN_MS * 2 ** tries);
    await clock.wait(wait * (0.5 + clock.random() / 2), signal);
    signal.throwIfAborted();
  }
}

/** Messages of git and curl, always English here. */
function classifyFailure(message: string): "away" | "answered" | "refused" {
  const [, status] = /returned error: (\d{3})/.exec(message) ?? [];
  if (status !== undefined) return Number(status) >= 500 || status === "429" ? "answered" : "refused";
  if (/certificate|SSL/.test(message)) return "refused";
  const isCut = /Failed to connect|Couldn't connect|resolve host|timed out|Connection re(?:set|fused)|Empty reply/;
  const isBroken = /(?:Recv|Send) failure|early EOF|unexpected disconnect|hung up unexpectedly|transfer closed/;
  return isCut.test(message) || isBroken.test(message) ? "away" : "refused";
}
