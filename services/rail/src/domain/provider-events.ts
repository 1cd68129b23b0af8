/**
 * Provider events about a paid top-up: refunds, and disputes opened, won or lost. They arrive repeatedly and in any
 * order, so a dispute may be won before it was opened. Each is stored as a fact under a unique name. The state of the
 * top-up is derived from the set of facts, not from their order.
 */
import type { TopupState } from "@triptych/contracts";
import type { TopupEvent } from "./topup-state.ts";

export interface TopupFact {
  readonly kind: TopupEvent["kind"];
  readonly event: string;
}

/** `about` is the provider's ID of the dispute, refund or checkout. The name does not depend on the event's ID. */
export function factName(kind: TopupEvent["kind"], about: string): string {
  return `${about}:${kind}`;
}

export function isAboutMoneyBack(kind: TopupEvent["kind"]): boolean {
  return kind === "refunded" || kind === "disputed" || kind === "dispute_won" || kind === "dispute_lost";
}

/** The event that moves a top-up to the state that the facts imply; null if it is already there or was never paid. */
export function eventOwed(state: TopupState, facts: readonly TopupFact[]): TopupEvent | null {
  const target = stateOf(facts);
  if (target === null || target === state) return null;
  if (state === "succeeded") return { kind: target === "refunded" && !wasDisputed(facts) ? "refunded" : "disputed" };
  if (state !== "disputed") return null;
  return { kind: target === "succeeded" ? "dispute_won" : "dispute_lost" };
}

/** Null if there are no facts about returned money. Refunds and lost disputes are final. */
function stateOf(facts: readonly TopupFact[]): "succeeded" | "disputed" | "refunded" | null {
  const about = (kind: TopupEvent["kind"]) =>
    facts.filter((fact) => fact.kind === kind).map(({ event }) => event.slice(0, -kind.length - 1));
  if (about("refunded").length > 0 || about("dispute_lost").length > 0) return "refunded";
  const won = new Set(about("dispute_won"));
  if (about("disputed").some((dispute) => !won.has(dispute))) return "disputed";
  return won.size > 0 ? "succeeded" : null;
}

function wasDisputed(facts: readonly TopupFact[]): boolean {
  return facts.some(({ kind }) => kind === "disputed" || kind === "dispute_lost");
}
