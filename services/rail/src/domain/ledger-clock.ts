/**
 * The ledger time. It is never earlier than the newest entry, and follows the system clock only while that is
 * plausible, because expiry cannot be undone if the clock was wrong. The reference is the monotonic clock and, across
 * restarts, the highest stored time.
 */
import type { Acting } from "./operator-log.ts";
import type { Ledger } from "./ledger.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A clock this far ahead needs confirmation. */
export const AHEAD_MS = DAY_MS;
/** The clocks of rail processes on one database differ by less than this. */
export const BEHIND_MS = 5 * MINUTE_MS;
/** A gap up to this counts as downtime if nothing expires within it: trusting the clock is then safe. */
const DOWNTIME_MS = 7 * DAY_MS;
const SAVE_INTERVAL_MS = MINUTE_MS;

/** Nothing expires. */
export const NOTHING_EXPIRES = 0;

export interface ClockJump {
  readonly kind: "ahead" | "behind";
  readonly byMs: number;
}

export interface LedgerClock {
  /** Monotonic, and never earlier than the newest entry. */
  now(): number;
  /** Anything that ends by this time may be expired or removed. `NOTHING_EXPIRES` while the clock is unconfirmed. */
  expiryTime(): number;
  jump(): ClockJump | null;
  wall(): number;
  /**
   * Call every second. Stores the time about once a minute. While the clock is unconfirmed, looks for a confirmation by
   * another process.
   */
  tick(): Promise<void>;
  /** Confirms the system clock. The confirmation is recorded first, so that none is missing in the log. */
  confirm(by: Acting): Promise<void>;
}

export interface LedgerClockOptions {
  readonly ledger: Pick<Ledger, "readTime" | "saveTime" | "confirmLag" | "recordConfirmation" | "endsBetween">;
  readonly wall: () => number;
  /** Milliseconds, independent of clock changes. */
  readonly monotonic: () => number;
  readonly onChange?: (jump: ClockJump | null) => void;
}

interface Reading {
  readonly now: number;
  readonly wall: number;
  readonly jump: ClockJump | null;
}

export async function openLedgerClock({ ledger, wall, monotonic, onChange }: LedgerClockOptions): Promise<LedgerClock> {
  const known = await ledger.readTime();
  const newest = known.newestEntryAt ?? 0;
  // Without a stored time, the system clock is trusted.
  let base = known.savedTime === null ? Math.max(wall(), newest) : Math.max(known.savedTime, newest);
  let baseAt = monotonic();
  let confirmedLagMs = known.confirmedLagMs;
  let savedAt = -Infinity;
  let reported: ClockJump["kind"] | null = null;

  function read(): Reading {
    const at = monotonic();
    const clock = wall();
    const steady = base + (at - baseAt);
    const aheadMs = clock - steady;
    const jump = jumpOf(aheadMs, confirmedLagMs);
    base = jump?.kind === "ahead" ? steady : Math.max(clock, steady);
    baseAt = at;
    return { now: Math.floor(base), wall: clock, jump };
  }

  function follow(time: number): void {
    if (time <= read().now) return;
    base = time;
    baseAt = monotonic();
  }

  function report(jump: ClockJump | null): void {
    const kind = jump?.kind ?? null;
    if (kind === reported) return;
    reported = kind;
    onChange?.(jump);
  }

  async function trust(time: number): Promise<void> {
    await ledger.saveTime(time);
    follow(time);
  }

  async function settle({ now, wall: clock, jump }: Reading): Promise<void> {
    if (jump === null) return;
    const { savedTime, confirmedLagMs: lagMs } = await ledger.readTime();
    confirmedLagMs = lagMs;
    if (savedTime !== null) follow(savedTime);
    if (read().jump?.kind !== "ahead" || jump.byMs > DOWNTIME_MS) return;
    if (!(await ledger.endsBetween(now, clock))) await trust(clock);
  }

  const clock: LedgerClock = {
    now: () => read().now,
    expiryTime() {
      const { now, wall: time, jump } = read();
      return jump === null ? Math.min(now, time) : NOTHING_EXPIRES;
    },
    jump: () => read().jump,
    wall,
    async tick() {
      await settle(read());
      const { now, wall: time, jump } = read();
      report(jump);
      if (monotonic() - savedAt < SAVE_INTERVAL_MS) return;
      await ledger.saveTime(now);
      if (confirmedLagMs > 0 && now - time <= BEHIND_MS) await ledger.confirmLag((confirmedLagMs = 0));
      savedAt = monotonic();
    },
    async confirm(by) {
      await ledger.recordConfirmation(by);
      const { now, wall: time, jump } = read();
      if (jump?.kind === "ahead") await trust(time);
      if (jump?.kind === "behind") await ledger.confirmLag((confirmedLagMs = now - time));
      report(read().jump);
    },
  };
  await settle(read());
  report(read().jump);
  return clock;
}

function jumpOf(aheadMs: number, confirmedLagMs: number): ClockJump | null {
  if (aheadMs > AHEAD_MS) return { kind: "ahead", byMs: Math.round(aheadMs) };
  return -aheadMs > confirmedLagMs + BEHIND_MS ? { kind: "behind", byMs: Math.round(-aheadMs) } : null;
}

export function jumpText({ kind, byMs }: ClockJump): string {
  const far = kind === "ahead" ? `jumped by ${durationText(byMs)}` : `is ${durationText(byMs)} behind the ledger`;
  return `clock ${far}; expiry suspended until confirmed`;
}

function durationText(ms: number): string {
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)} d`;
  return `${Math.floor(ms / MINUTE_MS)} min`;
}
