/**
 * Session with the rail: registers a boot ID, then sends batches, one at a time. A batch that has only reports is
 * delayed by 25 ms; an empty batch every second renews the lease. Attempts are retried for 2 s, then voided. After
 * `fenced` or an expired lease, open charges are aborted, and calls are rejected until a new boot is registered.
 */
import {
  createBoot,
  batchOf,
  type AttemptAnswer,
  type Boot,
  type ChargeInput,
  type SentBatch,
} from "./client-instance.ts";
import type { BillingTransport, ChargeResults, Origin, Timers } from "./transport.ts";

const COMPANY_MS = 25;
const HEARTBEAT_MS = 1000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

export interface SessionOptions {
  readonly instance: string;
  readonly transport: BillingTransport;
  readonly timers: Timers;
  readonly now: () => number;
  readonly random: (count: number) => Uint8Array;
  /** Maximum number of attempts that are queued, running or unconfirmed; more are rejected. */
  readonly capacity: number;
  readonly origin?: (() => Origin | null) | undefined;
  readonly onError?: ((error: TransportError) => void) | undefined;
}

export interface TransportError {
  readonly asking: "hello" | "charge" | "resolve";
  readonly error: unknown;
}

export interface SessionState {
  readonly phase: "greeting" | "live" | "stopped";
  readonly boot: string;
  readonly waiting: number;
  readonly held: number;
  readonly unconfirmed: number;
  readonly fenced: number;
}

export interface Session {
  charge(ask: ChargeInput): Promise<AttemptAnswer>;
  state(): SessionState;
  /** Accepts no new charges. Resolves when all ends are confirmed, or after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

export function openSession(options: SessionOptions): Session {
  const { instance, transport, timers, now, capacity } = options;
  let phase: SessionState["phase"] = "greeting";
  let boot = newBoot();
  let fenced = 0;
  let leaseMs = 0;
  let failures = 0;
  let isInFlight = false;
  let next: { readonly at: number; readonly cancel: () => void } | null = null;
  let deadline: (() => void) | null = null;
  let stopping: (() => void) | null = null;

  void greet();

  return {
    charge(ask) {
      if (phase !== "live" || stopping !== null) return Promise.resolve({ kind: "unavailable" });
      if (boot.size >= capacity) return Promise.resolve({ kind: "overloaded" });
      const answer = boot.enqueue(ask, options.origin?.() ?? null);
      if (deadline === null) watchDeadline();
      wake(0);
      return answer;
    },
    state: () => ({
      phase,
      boot: boot.id,
      waiting: boot.waiting,
      held: boot.open,
      unconfirmed: boot.unconfirmed,
      fenced,
    }),
    stop(timeoutMs) {
      if (phase === "stopped") return Promise.resolve();
      return new Promise((resolve) => {
        const cancel = timers.after(timeoutMs, done);
        stopping = done;
        if (phase === "greeting" || boot.size === 0) done();
        else wake(0);

        function done(): void {
          phase = "stopped";
          for (const stop of [cancel, next?.cancel, deadline]) stop?.();
          boot.end();
          resolve();
        }
      });
    },
  };

  function newBoot(): Boot {
    const id = `b-${Buffer.from(options.random(16)).toString("base64url")}`;
    return createBoot(id, now, () => wake(COMPANY_MS));
  }

  async function greet(): Promise<void> {
    const mine = boot;
    const sentAt = now();
    const isCurrent = () => boot === mine && phase === "greeting";
    const answer = await transport.hello({ instance, boot: mine.id }).catch(unreachable("hello"));
    if (!isCurrent()) return;
    if (answer === "fenced") replaceBoot();
    else if (answer === "unreachable") timers.after(pause(), () => isCurrent() && void greet());
    else begin(sentAt, answer.lease_seconds * 1000);
  }

  function unreachable(asking: TransportError["asking"]) {
    return (error: unknown) => {
      options.onError?.({ asking, error });
      return "unreachable" as const;
    };
  }

  function begin(sentAt: number, lease: number): void {
    failures = 0;
    leaseMs = lease;
    boot.leaseUntil = sentAt + leaseMs;
    phase = "live";
    wake(HEARTBEAT_MS);
  }

  /** The rail has replaced this boot, or its lease has expired. */
  function replaceBoot(): void {
    const ended = boot;
    next?.cancel();
    next = null;
    isInFlight = false;
    fenced++;
    phase = "greeting";
    boot = newBoot();
    ended.end();
    if (stopping === null) void greet();
    else stopping();
  }

  /** Sends a batch after the given milliseconds, or earlier if one is due. */
  function wake(ms: number): void {
    const at = now() + ms;
    if (isInFlight || phase !== "live" || (next !== null && next.at <= at)) return;
    next?.cancel();
    next = { at, cancel: timers.after(ms, () => void send()) };
  }

  async function send(): Promise<void> {
    next = null;
    if (phase !== "live" || isInFlight) return;
    if (now() >= boot.leaseUntil) return replaceBoot();
    boot.giveUpOverdue();
    const mine = boot;
    const sent = mine.take();
    isInFlight = true;
    const origins = sent.charges.flatMap(({ origin }) => origin ?? []);
    const results = await transport.charge(batchOf(instance, mine, sent), origins).catch(unreachable("charge"));
    if (boot !== mine || phase !== "live") return;
    if (results === "unreachable") afterBatch(pause());
    else answered(results, sent);
  }

  function answered(results: ChargeResults | "fenced", sent: SentBatch): void {
    if (results === "fenced") return replaceBoot();
    boot.leaseUntil = Math.max(boot.leaseUntil, sent.at + leaseMs);
    // The lease expired during the wait, so the rail has reversed the charge by now.
    if (now() >= boot.leaseUntil) return replaceBoot();
    failures = 0;
    const missing = boot.answered(sent, results);
    afterBatch(missing > 0 ? pause() : 0);
  }

  function afterBatch(pauseMs: number): void {
    isInFlight = false;
    if (stopping !== null && boot.size === 0) return stopping();
    if (boot.waiting > 0) return wake(pauseMs);
    wake(Math.max(pauseMs, boot.unconfirmed > 0 ? COMPANY_MS : HEARTBEAT_MS));
  }

  /** One timer for the oldest queued charge is enough: all charges have the same timeout. */
  function watchDeadline(): void {
    deadline = null;
    if (boot.deadline === undefined || phase === "stopped") return;
    deadline = timers.after(Math.max(1, boot.deadline - now()), () => {
      boot.giveUpOverdue();
      watchDeadline();
    });
  }

  function pause(): number {
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++);
  }
}
