/**
 * Sends pending messages. Each target has its own loop and one request at a time, so a slow target does not delay the
 * others. After a crash between a 2xx response and its commit, the message is sent again with the same ID.
 */
import { failOlder, findDue, markDelivered, markFailed, postpone, type PendingMessage } from "./messages.ts";
import type { Log } from "./log.ts";
import type { NotifyDatabase } from "./store.ts";
import type { Outcome, Target } from "./targets/target.ts";

export interface DeliveryOptions {
  readonly database: NotifyDatabase;
  readonly targets: Iterable<Target>;
  /** Address of the dashboard. */
  readonly panelUrl: string;
  readonly log: Log;
  readonly now: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

export interface Delivery {
  /** Makes one attempt for each message that is due, unless its target is down. */
  sendDue(signal?: AbortSignal): Promise<void>;
}

const FIRST_DELAY_MS = 5_000;
/** A target that recovers gets its messages within this delay. */
const DELAY_MAX_MS = 900_000;
const RETRY_MS = 24 * 3_600_000;

export function createDelivery(options: DeliveryOptions): Delivery {
  const { database, targets, panelUrl, log, now, random } = options;
  const pausedUntil = new Map<string, number>();
  return {
    async sendDue(signal) {
      await Promise.all(Array.from(targets, (target) => sendTo(target, signal)));
    },
  };

  async function sendTo(target: Target, signal: AbortSignal | undefined): Promise<void> {
    const maySend = () => signal?.aborted !== true && (pausedUntil.get(target.id) ?? 0) <= now();
    while (maySend()) {
      const message = await findDue(database, target.id, now());
      if (message === null) return;
      const { event } = message;
      const link = `${panelUrl.replace(/\/+$/, "")}${event.path}`;
      const outcome = await target.send({ event, link, now: now() });
      await record(target, message, outcome);
    }
  }

  async function record(target: Target, message: PendingMessage, outcome: Outcome): Promise<void> {
    const { number, attempts, createdAt, event } = message;
    const fields = { event: event.type, id: event.id, target: target.label, attempt: attempts + 1 };
    if (outcome.kind === "delivered") {
      await markDelivered(database, number, now());
      return log("message delivered", fields);
    }
    const { error } = outcome;
    const isLast = outcome.kind === "gone" || now() - createdAt >= RETRY_MS;
    if (isLast) {
      await markFailed(database, number, { error, now: now() });
      log("message failed; no further attempt", { ...fields, error });
      if (outcome.kind === "unavailable") await failOthers(target, error);
    }
    const nextAt = now() + delayAfter(attempts, outcome, random());
    if (outcome.kind === "unavailable") pausedUntil.set(target.id, nextAt);
    if (isLast) return;
    await postpone(database, number, { error, nextAt });
    log("delivery failed; retrying", { ...fields, error, retry_at: new Date(nextAt).toISOString() });
  }

  /** Otherwise, while a target stays down, messages would fail one per day. */
  async function failOthers(target: Target, error: string): Promise<void> {
    const failed = await failOlder(database, target.id, { before: now() - RETRY_MS, error, now: now() });
    if (failed > 0) log("messages failed; no further attempt", { target: target.label, messages: failed, error });
  }
}

/** Half of the delay is jitter. A `Retry-After` of the target is a minimum. */
export function delayAfter(attempts: number, outcome: Outcome, random: number): number {
  const delay = Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** Math.min(attempts, 20));
  const jittered = delay / 2 + (random * delay) / 2;
  const requested = outcome.kind === "unavailable" ? (outcome.retryAfterMs ?? 0) : 0;
  // Time columns store whole milliseconds.
  return Math.ceil(Math.max(jittered, Math.min(requested, RETRY_MS)));
}
