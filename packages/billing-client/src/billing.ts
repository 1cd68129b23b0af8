/**
 * Billing of a gateway: admission, charges and delivery. Every charge must end with `delivered` (the `finish` event) or
 * `aborted` (an earlier `close` event). The rail reverses charges that do not end.
 *
 *     const billed = await billing.charge({ walletHash, key, op, req, res, sealed });
 *     if (billed.kind !== "charged") …
 * if (confirmDelivery(billed, reply.raw)) reply.send(answer);
 */
import {
  ACKNOWLEDGED_MAX,
  DECISION_PRICE_ID,
  DECISION_PRICE_MICRO,
  SEALED_RESPONSE_MAX,
  type ChargeRefusal,
  type ChargeResult,
  type ReachedCap,
  type VoidReason,
} from "@triptych/contracts";
import { createKeyMutex, type Run } from "./key-mutex.ts";
import { REQUEST_TIMEOUT_MS, type AttemptAnswer, type OpenCharge } from "./client-instance.ts";
import { openSession, type SessionState, type TransportError } from "./session.ts";
import type { BillingTransport, Origin, Timers } from "./transport.ts";
import { createWallets } from "./wallets.ts";

export interface BillingOptions {
  /** Unique per running process: `GATEWAY_INSTANCE`, or random and stored in its data folder under a lock. */
  readonly instance: string;
  readonly transport: BillingTransport;
  readonly timers: Timers;
  readonly now: () => number;
  readonly random: (count: number) => Uint8Array;
  readonly priceId?: string;
  /** Used for an early balance check only; the rail sets the price. */
  readonly priceMicro?: number;
  /** Maximum number of charges that are queued, running or unconfirmed; more are rejected as `overloaded`. */
  readonly capacity?: number;
  readonly walletsRemembered?: number;
  /** Returns the trace context; called when a charge is queued. */
  readonly origin?: () => Origin | null;
  /** Called per failed request to the rail, for logging. */
  readonly onError?: (error: TransportError) => void;
}

export interface ChargeCall {
  /** Lower-case hex SHA-256 of the complete token. */
  readonly walletHash: string;
  readonly key?: string | undefined;
  readonly op: string;
  readonly req: string;
  readonly res: string;
  /**
   * The encrypted response, for replays. Sent only with a key and below the size limit; the gateway stores larger
   * responses.
   */
  readonly sealed?: string | undefined;
}

export type ChargeOutcome = Charged | Replayed | Refused | Unavailable;

export interface Billed {
  readonly chargeId: string;
  readonly receipt: string;
  readonly amountMicro: number;
  /** Balance after this charge, in ledger order. */
  readonly balanceMicro: number;
  /** What the token can spend after the charge: the balance, or less if its caps allow less. */
  readonly spendableMicro: number;
  readonly walletSeq: number;
}

export interface Charged extends Billed {
  readonly kind: "charged";
  /** Aborts if the charge is reversed in the meantime; the response must then not be sent. */
  readonly signal: AbortSignal;
  /** Call on the `finish` event of the response. Of `delivered` and `aborted`, the first call counts. */
  readonly delivered: () => void;
  readonly aborted: (reason: Extract<VoidReason, "client_gone" | "aborted">) => void;
}

/** A response was already delivered for this key: same bytes, same receipt, no charge. */
export interface Replayed extends Billed {
  readonly kind: "replayed";
  /** Null if the response exceeded the rail's size limit and is in the gateway's store. */
  readonly sealed: string | null;
}

export interface Refused {
  readonly kind: "refused";
  readonly status: 402 | 403 | 409 | 422;
  readonly code: ChargeRefusal;
  readonly balanceMicro: number | null;
  /** Null if the balance is unknown. */
  readonly spendableMicro: number | null;
  /** With `cap_reached`: the cap that was reached. */
  readonly reached: ReachedCap | null;
}

export interface Unavailable {
  readonly kind: "unavailable";
  readonly status: 503;
  readonly code: "rail_unavailable" | "overloaded";
}

export type Admission =
  | {
      readonly kind: "admitted";
      readonly walletId: string;
      readonly balanceMicro: number;
      readonly spendableMicro: number;
    }
  /** Has the wallet ID if the wallet exists but may not call. */
  | (Refused & { readonly walletId?: string })
  | Unavailable;

export interface AdmissionCall {
  readonly walletHash: string;
  readonly isKeyed: boolean;
  readonly op?: string | null;
}

export interface Billing {
  /**
   * Step 2 of a decision: checks whether the wallet may call. With a key, the charge checks balance and caps instead,
   * because a replay costs nothing. `op` is null for a call that is not charged.
   */
  admit(call: AdmissionCall): Promise<Admission>;
  /** Step 5: charges the wallet, or returns why it could not. */
  charge(call: ChargeCall): Promise<ChargeOutcome>;
  state(): SessionState;
  /** Call after the last response has ended. Sends the remaining reports to the rail for at most 2 s. */
  stop(): Promise<void>;
}

const UNAVAILABLE = { kind: "unavailable", status: 503, code: "rail_unavailable" } as const;
const OVERLOADED = { kind: "unavailable", status: 503, code: "overloaded" } as const;
const RESOLVE_PAUSE_MS = 100;

export function createBilling(options: BillingOptions): Billing {
  const { transport, timers, now, priceId = DECISION_PRICE_ID, priceMicro = DECISION_PRICE_MICRO } = options;
  const session = openSession({
    ...options,
    capacity: Math.min(options.capacity ?? ACKNOWLEDGED_MAX, ACKNOWLEDGED_MAX),
  });
  const wallets = createWallets({ transport, now, priceMicro, size: options.walletsRemembered ?? 10_000 });
  const keys = createKeyMutex<Replayed>(timers, REQUEST_TIMEOUT_MS);
  let stopped: Promise<void> | undefined;

  return {
    async admit({ walletHash, isKeyed, op = null }) {
      const wallet = await resolve(walletHash, now() + REQUEST_TIMEOUT_MS);
      if (wallet === undefined) return UNAVAILABLE;
      if (wallet === null || wallet.status === "closed") return refused(402, "wallet_unknown");
      const {
        wallet_id: walletId,
        balance_micro: balanceMicro,
        spendable_micro: spendableMicro,
        reached,
        ops,
      } = wallet;
      const left = { balanceMicro, spendableMicro };
      if (wallet.status === "frozen") return { ...refused(403, "wallet_frozen", left), walletId };
      if (op !== null && ops?.includes(op) === false)
        return { ...refused(403, "operation_not_allowed", left), walletId };
      if (!isKeyed && reached !== null) return { ...refused(403, "cap_reached", { ...left, reached }), walletId };
      if (!isKeyed && balanceMicro < priceMicro) return { ...refused(402, "wallet_empty", left), walletId };
      return { kind: "admitted", walletId, ...left };
    },
    async charge(call) {
      if (call.key === undefined) return act(call, null);
      const result = await keys.enter(`${call.walletHash} ${call.op} ${call.key}`, call.req);
      switch (result.kind) {
        case "act":
          return act(call, result.run);
        case "replay":
          return result.answer;
        case "other_request":
          return refused(422, "idempotency_key_reused");
        case "too_long":
          return refused(409, "idempotency_in_progress");
      }
    },
    state: () => session.state(),
    stop: () => (stopped ??= session.stop(REQUEST_TIMEOUT_MS)),
  };

  /** Undefined if the rail was unreachable until the deadline. */
  async function resolve(walletHash: string, deadline: number) {
    for (;;) {
      try {
        return await wallets.resolve(walletHash);
      } catch (error) {
        options.onError?.({ asking: "resolve", error });
        if (now() + RESOLVE_PAUSE_MS >= deadline) return undefined;
        await new Promise<void>((again) => {
          timers.after(RESOLVE_PAUSE_MS, again);
        });
      }
    }
  }

  async function act(call: ChargeCall, run: Run<Replayed> | null): Promise<ChargeOutcome> {
    const sealed = call.key === undefined ? null : sealedFor(call);
    const answer = await session.charge({
      wallet_hash: call.walletHash,
      op: call.op,
      qty: 1,
      price_id: priceId,
      req: call.req,
      res: call.res,
      ...(call.key !== undefined && { key: call.key }),
      ...(sealed !== null && { response: sealed }),
    });
    const billed = "result" in answer ? billedOf(answer.result) : null;
    if (answer.kind === "charged" && billed !== null) {
      wallets.learn(call.walletHash, billed);
      return charged(billed, { charge: answer.charge, run, sealed });
    }
    if (answer.kind === "charged") answer.charge.end("aborted");
    run?.failed();
    return undone(call, answer, billed);
  }

  function undone(call: ChargeCall, answer: AttemptAnswer, billed: Billed | null): ChargeOutcome {
    if (answer.kind === "overloaded") return OVERLOADED;
    if (answer.kind !== "answered") return UNAVAILABLE;
    const { result } = answer;
    if (result.status === 200)
      return billed === null ? UNAVAILABLE : { kind: "replayed", ...billed, sealed: result.response ?? null };
    if (result.status === 201 || result.code === undefined) return UNAVAILABLE;
    // Without a key, no other call can be in progress, so a 409 means that this attempt was reversed before its
    // response arrived.
    if (result.status === 409 && call.key === undefined) return UNAVAILABLE;
    if (result.status === 402 || result.status === 403) wallets.learn(call.walletHash, null);
    const { balance_micro: balanceMicro = null, spendable_micro: spendableMicro = balanceMicro, reached } = result;
    return refused(result.status, result.code, { balanceMicro, spendableMicro, reached: reached ?? null });
  }
}

/** Maximum accepted by the rail, as base64url. */
const SEALED_CHARS = Math.ceil((SEALED_RESPONSE_MAX * 4) / 3);

function sealedFor({ sealed }: ChargeCall): string | null {
  return sealed !== undefined && sealed.length <= SEALED_CHARS ? sealed : null;
}

interface Holding {
  readonly charge: OpenCharge;
  readonly run: Run<Replayed> | null;
  readonly sealed: string | null;
}

function charged(billed: Billed, { charge, run, sealed }: Holding): Charged {
  if (run !== null) charge.signal.addEventListener("abort", () => run.failed(), { once: true });
  return {
    kind: "charged",
    ...billed,
    signal: charge.signal,
    delivered() {
      if (charge.end("delivered")) run?.delivered({ kind: "replayed", ...billed, sealed });
    },
    aborted(reason) {
      if (charge.end(reason)) run?.failed();
    },
  };
}

function refused(status: Refused["status"], code: ChargeRefusal, about: Partial<Refused> = {}): Refused {
  return { kind: "refused", status, code, balanceMicro: null, spendableMicro: null, reached: null, ...about };
}

/** Null if the rail omitted required members of a charge. */
function billedOf(result: ChargeResult): Billed | null {
  const { charge_id, receipt, amount_micro, balance_micro, wallet_seq } = result;
  if (charge_id == null || receipt == null || amount_micro == null || balance_micro == null || wallet_seq == null)
    return null;
  return {
    chargeId: charge_id,
    receipt,
    amountMicro: amount_micro,
    balanceMicro: balance_micro,
    spendableMicro: result.spendable_micro ?? balance_micro,
    walletSeq: wallet_seq,
  };
}
