import { highlightsField, SUMMARY_FIELD_NAMES } from "@triptych/contracts";
import type { Variant } from "./catalogue.ts";

export type PlanId = "discovery" | "pro";

export interface Plan {
  readonly id: PlanId;
  readonly requestsPerMinute: number;
  readonly itemsPerDay: number;
  readonly variant: Variant;
  readonly geo: boolean;
  readonly export: boolean;
  readonly price: string;
}

export const PLANS: Readonly<Record<PlanId, Plan>> = {
  discovery: {
    id: "discovery",
    requestsPerMinute: 120,
    itemsPerDay: 2000,
    variant: "summary",
    geo: false,
    export: false,
    price: "0 EUR",
  },
  pro: {
    id: "pro",
    requestsPerMinute: 120,
    itemsPerDay: 50_000,
    variant: "all",
    geo: true,
    export: true,
    price: "billed by volume (usage-based)",
  },
};

/** Fields of every plan. Highlights quote only fields of the summary. */
const COMMON_FIELDS: readonly string[] = [...SUMMARY_FIELD_NAMES, ...Object.keys(highlightsField)];

export function fieldsBeyond(plan: Plan, names: readonly string[]): string[] {
  return plan.variant === "all" ? [] : names.filter((name) => !COMMON_FIELDS.includes(name));
}
