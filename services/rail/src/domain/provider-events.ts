/**
 * Provider events about a paid top-up: refunds, and disputes opened, won or lost. They arrive repeatedly and in any
 * order; a won dispute may arrive before its opening. Each is stored as a fact under a unique name. The state of the
 * top-up follows from the set of facts, not from their order.
 */
import type { TopupState } from "@triptych/contracts";
import type { TopupEvent } from "./topup-state.ts";

export interface TopupFact {
  readonly kind: TopupEvent["kind"];
  readonly event: string;
}

/** `about`: the provider's id of the dispute, refund or checkout. The name is independent of the event's id. */
export function factName(kind: TopupEvent["kind"], about: string): string {
  return `${about}:${kind}`;
}

export function isAboutMoneyBack(kind: TopupEvent["kind"]): boolean {
  return kind === "refunded" || kind === "disputed" || kind === "dispute_won" || kind === "dispute_lost";
}

/** The event that moves a top-up towards the state that the facts imply; null if it is there or was never paid. */
export function eventOwed(state: TopupState, facts: readonly TopupFact[]): TopupEvent | null {
  const target = stateOf(facts);
  if (target === null || target === state) return null;
  if (state === "succeeded") return { kind: target === "refunded" && !wasDisputed(facts) ? "refunded" : "disputed" };
  if (state !== "disputed") return null;
  return { kind: target === "succeeded" ? "dispute_won" : "dispute_lost" };
}

/** null: no facts about returned money. A refund and a lost dispute are final. */
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
