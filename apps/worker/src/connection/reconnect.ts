/**
 * Decides what to do when a connection ends. Pure. Three attempts within two seconds cover a panel restart. Later delays are random, up to
 * the duration of the outage and at most 30 s, so that a thousand workers do not reconnect together.
 */
import type { ConnectionEvent } from "./connection.ts";

export interface RetryState {
  /** Attempts since the last connection that lasted. */
  readonly tries: number;
  /** Time of the first of these attempts. */
  readonly since: number;
}

export type ConnectionEnd =
  | { readonly kind: "lost"; readonly why: string }
  /** The panel rejected the key. */
  | { readonly kind: "refused" }
  | { readonly kind: "full"; readonly why: string }
  | { readonly kind: "dismissed"; readonly why: string };

interface EndedConnection {
  readonly end: ConnectionEnd;
  readonly openedAt: number;
  readonly wasUp: boolean;
}

interface ReconnectStep {
  readonly retry: RetryState;
  readonly event: ConnectionEvent;
  /** Null if no further attempt is made. */
  readonly waitMs: number | null;
}

/** A connection of at least this age resets the backoff. */
const LASTING_MS = 10_000;
/** A rejected key or a full account needs a person, so retries are slow. */
const REFUSED_WAIT_MS = 60_000;
const QUICK_ATTEMPTS = 3;
/** Delay between quick attempts, so that all three are made within two seconds. */
const QUICK_MS = 650;
const DELAY_MAX_MS = 30_000;

export function afterConnection(
  state: RetryState,
  { end, openedAt, wasUp }: EndedConnection,
  { now, random }: { readonly now: number; readonly random: number },
): ReconnectStep {
  const tries = wasUp && now - openedAt > LASTING_MS ? 0 : state.tries;
  const since = tries === 0 ? now : state.since;
  const retry = { tries: tries + 1, since };
  switch (end.kind) {
    case "dismissed":
      return { retry, event: end, waitMs: null };
    case "refused":
      return { retry, event: end, waitMs: REFUSED_WAIT_MS };
    case "full": {
      const text = `panel accepts no more workers; retrying in one minute: ${end.why}`;
      return { retry, event: { kind: "error", text }, waitMs: REFUSED_WAIT_MS };
    }
    case "lost": {
      const text = `panel unreachable; retrying: ${end.why}`;
      return { retry, event: { kind: "error", text }, waitMs: waitBefore(tries, now - since) * random };
    }
  }
}

/** The longest delay before a try, in milliseconds. */
function waitBefore(tries: number, outageMs: number): number {
  return tries < QUICK_ATTEMPTS ? QUICK_MS : Math.min(DELAY_MAX_MS, Math.max(QUICK_MS, outageMs));
}

/** Close codes after which the worker does not reconnect; all others lead to a quick retry. */
const DISMISSALS: Readonly<Record<number, string>> = {
  4409: "another process has connected with this worker's id; exiting",
  4410: "this worker was deleted in the panel; restart it to register again",
};
/** Close reason for a connection that this process has replaced. */
const OWN = "reconnected";
const REFUSED = 4401;
const FULL = 4403;

/** `fault`: why the socket closed if the panel gave no reason. */
export function endOf(code: number, reason: string, fault: string | null): ConnectionEnd {
  if (code in DISMISSALS && reason !== OWN) return { kind: "dismissed", why: DISMISSALS[code] };
  if (code === REFUSED) return { kind: "refused" };
  if (code === FULL) return { kind: "full", why: reason };
  if (reason === "") return { kind: "lost", why: fault ?? `connection closed (${code})` };
  return { kind: "lost", why: `connection closed (${code}): ${reason}` };
}
