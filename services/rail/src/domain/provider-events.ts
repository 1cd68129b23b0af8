/**
 * What a provider has ever said about the money of a top-up after it was paid: that it was given back, that a dispute was opened, won
 * or lost. Such news come more than once and in any order, and a dispute that was won may be heard of before it was opened. So each is
 * kept as a fact under a name of its own, and what the top-up should be follows from the set of facts, not from their order.
 */
import type { TopupState } from "@triptych/contracts";
import type { TopupEvent } from "./topup-state.ts";

export interface TopupFact {
  readonly kind: TopupEvent["kind"];
  /** `factName` of the event and of what it is about. */
  readonly event: string;
}

/** `about`: the provider's name of the dispute, refund or checkout. The same news have the same name, whatever id they are sent under. */
export function factName(kind: TopupEvent["kind"], about: string): string {
  return `${about}:${kind}`;
}

export function isAboutMoneyBack(kind: TopupEvent["kind"]): boolean {
  return kind === "refunded" || kind === "disputed" || kind === "dispute_won" || kind === "dispute_lost";
}

/** The event that brings a top-up of this state nearer to what the facts say; null when it is there, or money never came. */
export function eventOwed(state: TopupState, facts: readonly TopupFact[]): TopupEvent | null {
  const target = stateOf(facts);
  if (target === null || target === state) return null;
  if (state === "succeeded") return { kind: target === "refunded" && !wasDisputed(facts) ? "refunded" : "disputed" };
  if (state !== "disputed") return null;
  return { kind: target === "succeeded" ? "dispute_won" : "dispute_lost" };
}

/** null: nothing was ever said about giving money back. A refund and a lost dispute are final. */
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
