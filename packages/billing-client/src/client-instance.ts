/**
 * State of a gateway under one boot ID: queued charges, charges awaiting delivery, and unreported ends. All of it is
 * discarded when the boot ends.
 */
import { CHARGES_MAX, UNACKNOWLEDGED_SECONDS, type ChargeRequest, type ChargeResult } from "@triptych/contracts";
import { createAttempts, type AttemptEnd, type AttemptReport } from "./attempts.ts";
import type { ChargeBatch, Origin } from "./transport.ts";

/** How long an attempt is retried, and how long a call waits for another call with the same key. */
export const REQUEST_TIMEOUT_MS = 2000;
/** The rail voids attempts that stay open longer, so this client aborts them at the same time. */
const HOLD_MS = UNACKNOWLEDGED_SECONDS * 1000;

export type ChargeInput = Omit<ChargeRequest, "seq">;

/** Result of an attempt. `charged` is open and must be ended. */
export type AttemptAnswer =
  | { readonly kind: "charged"; readonly result: ChargeResult; readonly charge: OpenCharge }
  | { readonly kind: "answered"; readonly result: ChargeResult }
  | { readonly kind: "unavailable" }
  | { readonly kind: "overloaded" };

export interface OpenCharge {
  /** Aborts if the charge is reversed while it is open; the response must then not be sent. */
  readonly signal: AbortSignal;
  /** Returns whether this end counted. Only the first one does, and none after the boot has ended. */
  end(end: AttemptEnd): boolean;
}

export interface SentBatch {
  readonly charges: readonly Pending[];
  readonly report: AttemptReport;
  readonly at: number;
}

interface Pending {
  readonly ask: ChargeInput;
  readonly origin: Origin | null;
  seq: number | null;
  readonly deadline: number;
  readonly settle: (answer: AttemptAnswer) => void;
}

export interface Boot {
  readonly id: string;
  /** Local time, counted from when the last confirmed message was sent, so it is never later than the rail's lease. */
  leaseUntil: number;
  readonly waiting: number;
  readonly open: number;
  readonly unconfirmed: number;
  readonly size: number;
  readonly deadline: number | undefined;
  enqueue(ask: ChargeInput, origin: Origin | null): Promise<AttemptAnswer>;
  /** The next batch: retries first, then queued charges. */
  take(): SentBatch;
  /** Processes the response to a batch. Returns how many of its charges the response omitted. */
  answered(sent: SentBatch, results: readonly ChargeResult[]): number;
  giveUpOverdue(): void;
  end(): void;
}

/** `onEnd` is called when an attempt times out and must be reported. */
export function createBoot(id: string, now: () => number, onEnd: () => void): Boot {
  const attempts = createAttempts();
  const waiting = new Set<Pending>();
  const openCharges = new Map<number, { readonly since: number; readonly abort: AbortController }>();
  let unsent = 0;

  return {
    id,
    leaseUntil: 0,
    get waiting() {
      return waiting.size;
    },
    get open() {
      return openCharges.size;
    },
    get unconfirmed() {
      return attempts.unconfirmed;
    },
    get size() {
      return unsent + attempts.size;
    },
    get deadline() {
      return waiting.values().next().value?.deadline;
    },
    enqueue(ask, origin) {
      return new Promise((settle) => {
        waiting.add({ ask, origin, seq: null, deadline: now() + REQUEST_TIMEOUT_MS, settle });
        unsent++;
      });
    },
    take() {
      // At most one batch is in flight, so its charges fit into the next batch.
      const charges = [...waiting.values().take(CHARGES_MAX)];
      for (const pending of charges) {
        if (pending.seq !== null) continue;
        pending.seq = attempts.begin();
        unsent--;
      }
      return { charges, report: attempts.report(), at: now() };
    },
    answered({ charges, report }, results) {
      attempts.confirm(report);
      const bySeq = new Map(results.map((result) => [result.seq, result]));
      let missing = 0;
      for (const pending of charges) {
        const result = bySeq.get(pending.seq ?? 0);
        if (result === undefined) missing++;
        else if (waiting.delete(pending)) settle(pending, result);
      }
      return missing;
    },
    giveUpOverdue() {
      for (const pending of waiting) {
        if (pending.deadline > now()) break;
        waiting.delete(pending);
        if (pending.seq === null) unsent--;
        else finish(pending.seq, "aborted");
        pending.settle({ kind: "unavailable" });
      }
      for (const [seq, { since, abort }] of openCharges) {
        if (since + HOLD_MS > now()) break;
        openCharges.delete(seq);
        finish(seq, "unacknowledged");
        abort.abort();
      }
    },
    end() {
      for (const { settle } of waiting) settle({ kind: "unavailable" });
      waiting.clear();
      const aborts = [...openCharges.values()];
      openCharges.clear();
      for (const { abort } of aborts) abort.abort();
    },
  };

  function settle({ seq, settle }: Pending, result: ChargeResult): void {
    if (seq === null) return;
    if (result.status === 201) return settle({ kind: "charged", result, charge: hold(seq) });
    finish(seq, "aborted");
    settle({ kind: "answered", result });
  }

  function hold(seq: number): OpenCharge {
    const abort = new AbortController();
    openCharges.set(seq, { since: now(), abort });
    return { signal: abort.signal, end: (end) => openCharges.delete(seq) && finish(seq, end) };
  }

  function finish(seq: number, end: AttemptEnd): boolean {
    const isFirst = attempts.finish(seq, end);
    if (isFirst) onEnd();
    return isFirst;
  }
}

export function batchOf(instance: string, boot: Boot, { charges, report }: SentBatch): ChargeBatch {
  return {
    instance,
    boot: boot.id,
    ack: { through: report.through, also: [...report.also] },
    voids: [...report.voids],
    charges: charges.map(({ ask, seq }) => ({ ...ask, seq: seq ?? 0 })),
  };
}
