/**
 * Judges the ledger at rest against the records of clients and gateways; the audit covers L1 to L5 and L8. *Billed*: a
 * charge that was not voided. *Left*: a response whose gateway saw `finish`, or that its client has in full. *Free*: a
 * response that left, with a voided charge.
 */
import { createHash } from "node:crypto";
import { verifyReceipt, type ReceiptKeys } from "@triptych/client";
import type { LedgerCharge } from "../src/domain/unit-of-work.ts";
import { ROUTE_PATH } from "./callers.ts";
import type { Acknowledged, Finish, GatewayNote, Kill, Try, Violation } from "./records.ts";

/** What happened since the last judgment. */
export interface Round {
  readonly kills: readonly Kill[];
  readonly tries: readonly Try[];
  readonly gateways: ReadonlyMap<string, readonly GatewayNote[]>;
  /** All new charges. */
  readonly charges: readonly LedgerCharge[];
}

export interface Verdict {
  readonly violations: readonly Violation[];
  /** Number of free decisions of each killed gateway, and its limit according to L7. */
  readonly free: readonly { readonly victim: string; readonly count: number; readonly bound: number }[];
}

export interface Judge {
  judge(round: Round): Promise<Verdict>;
  /** Every known charge, as it was when its round was judged. */
  readonly charges: ReadonlyMap<string, LedgerCharge>;
}

/** A gateway acknowledges with its next batch, at most 25 ms later, and thus within two beats. */
const BEATS_MAX = 2;

export function createJudge(jwks: () => ReceiptKeys): Judge {
  const charges = new Map<string, LedgerCharge>();
  const live = new Map<string, string>();
  const receipts = new Map<string, string>();

  return { charges, judge };

  async function judge(round: Round): Promise<Verdict> {
    const violations: Violation[] = [];
    const found = (law: string, message: string) => void violations.push({ law, message });
    for (const charge of round.charges) {
      charges.set(charge.id, charge);
      if (charge.state === "voided" || charge.keyHash === null) continue;
      const name = keyName(charge.walletId, charge.keyHash);
      if (live.has(name)) found("L4", `${charge.id} and ${live.get(name)} have the same key`);
      live.set(name, charge.id);
    }
    for (const attempt of round.tries) await judgeTry(attempt, found);
    judgeKeys(round, found);
    const left = deliveriesOf(round);
    judgeBills(round, left, found);
    return { violations, free: judgeFree(round, left, found) };
  }

  async function judgeTry(attempt: Try, found: Found): Promise<void> {
    const { id, status, receipt, chargeId, call, body } = attempt;
    if (attempt.end !== "answered") return;
    const mayBe = call.key === null ? [200, 402, 503] : [200, 402, 409, 503];
    const isCapped = status === 403 && call.wallet.isCapped && body.includes('"cap_reached"');
    if (!isCapped && !mayBe.includes(status)) return found("replies", `${id} received status ${status}`);
    if (status !== 200) return;
    if (receipt === null || chargeId === null) return found("L9", `${id} received no receipt`);
    const firstReceipt = receipts.get(chargeId) ?? receipt;
    receipts.set(chargeId, firstReceipt);
    if (firstReceipt !== receipt) found("receipts", `${chargeId} has two receipts`);

    const request = { method: "POST", path: ROUTE_PATH, body: { state: call.state } };
    const verdict = await verifyReceipt(receipt, jwks(), { request, body });
    if (!verdict.isGood) return found("receipts", `the receipt of ${id} is invalid: ${verdict.error}`);
    const charge = charges.get(chargeId);
    if (charge === undefined) return found("L9", `${id} received a receipt of ${chargeId}, which is not in the ledger`);
    const isSame =
      verdict.claims["jti"] === chargeId &&
      charge.walletId === call.wallet.id &&
      charge.tokenId === call.wallet.tokenId &&
      charge.keyHash === (call.key === null ? null : hashOf(call.key));
    if (!isSame) found("receipts", `${id} received the receipt of ${chargeId}, a charge of another call`);
  }

  /**
   * A call with a key that got a response has exactly one effective charge, unless it was free. No client has the
   * receipt of a second charge.
   */
  function judgeKeys({ tries, kills }: Round, found: Found): void {
    for (const { id, status, chargeId, call } of tries) {
      if (status !== 200 || call.key === null) continue;
      const mine = charges.get(chargeId ?? "");
      const holder = live.get(keyName(call.wallet.id, hashOf(call.key)));
      if (mine === undefined || mine.id === holder) continue;
      const wasFree = mine.state === "voided" && kills.some(({ victim }) => victim === mine.instance);
      if (!wasFree) found("keys", `${id} received ${mine.id}, but its key belongs to ${holder ?? "no charge"}`);
    }
  }

  /** L6, and the invariants of every void. */
  function judgeBills({ charges, kills, tries }: Round, left: ReadonlyMap<string, Left>, found: Found): void {
    const ends = new Map(tries.map((attempt) => [attempt.id, attempt]));
    for (const { id, state, instance, voidReason } of charges) {
      const delivery = left.get(id);
      if (state === "posted") found("rest", `${id} is neither delivered nor voided`);
      else if (state === "voided") {
        if (delivery === undefined) continue;
        const died = kills.some(({ victim }) => victim === instance);
        if (!died || voidReason !== "fenced") found("L7", `${id} was sent and voided (${voidReason})`);
      } else if (delivery?.finish === undefined) found("L6", `${id} is billed, but its response was not sent`);
      else if (!delivery.isWhole && ends.get(delivery.finish.tryId)?.end !== "left")
        found("L6", `${id} is billed, but its connected client did not receive it`);
    }
  }

  /**
   * L7: a confirmed delivery is never free. A free response left after the last confirmed batch, within one
   * acknowledgement interval, or was in flight. Intervals are measured in beats of the gateway.
   */
  function judgeFree({ charges, kills, gateways }: Round, left: ReadonlyMap<string, Left>, found: Found) {
    for (const [name, notes] of gateways)
      if (tellsLate(notes)) found("L7", `${name} acknowledged a response after more than ${BEATS_MAX} beats`);
    return kills.flatMap(({ victim, inFlight }) => {
      const notes = gateways.get(victim);
      if (notes === undefined) return [];
      const confirmed = notes.filter((note) => note.kind === "confirmed");
      const isConfirmed = (charge: LedgerCharge) => confirmed.some((confirmation) => covers(confirmation, charge));
      const own = charges.filter(({ id, instance }) => instance === victim && left.has(id));
      const free = own.filter(({ state }) => state === "voided");
      for (const charge of free)
        if (isConfirmed(charge)) found("L7", `${charge.id} was confirmed as delivered, but voided when ${victim} died`);
      const interval = own.filter((charge) => left.get(charge.id)?.finish !== undefined && !isConfirmed(charge)).length;
      const unfinished = free.filter(({ id }) => left.get(id)?.finish === undefined).length;
      return [{ victim, count: free.length, bound: Math.max(inFlight, unfinished) + interval }];
    });
  }
}

type Found = (law: string, message: string) => void;

interface Left {
  readonly finish?: Finish;
  readonly isWhole: boolean;
}

function deliveriesOf({ tries, gateways }: Round): Map<string, Left> {
  const left = new Map<string, Left>();
  for (const notes of gateways.values())
    for (const note of notes) if (note.kind === "finish") left.set(note.chargeId, { finish: note, isWhole: false });
  for (const { status, chargeId } of tries)
    if (status === 200 && chargeId !== null) left.set(chargeId, { ...left.get(chargeId), isWhole: true });
  return left;
}

function covers({ boot, through, also }: Acknowledged, charge: LedgerCharge): boolean {
  return charge.boot === boot && (charge.seq <= through || also.includes(charge.seq));
}

/**
 * Whether a delivered response waited too long for a batch although no batch was in flight and the rail was running.
 */
function tellsLate(notes: readonly GatewayNote[]): boolean {
  let hasEnd = false;
  let isQuiet = true;
  let beats = 0;
  for (const { kind } of notes) {
    if (kind === "beat" && hasEnd && isQuiet) beats++;
    if (kind === "confirmed" || (kind === "finish" && !hasEnd)) beats = 0;
    hasEnd = kind === "finish" || (hasEnd && kind !== "sent" && kind !== "begun");
    // A lost batch is sent again after a growing pause.
    isQuiet = kind === "confirmed" || kind === "begun" || (isQuiet && kind !== "sent");
    if (beats > BEATS_MAX) return true;
  }
  return false;
}

function keyName(walletId: string, keyHash: string): string {
  return `${walletId} ${keyHash}`;
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
