/** What a plan does not include is refused here, after the request was found to be valid. */
import { Problem } from "@triptych/server";
import { fieldsBeyond, type Plan } from "../domain/plans.ts";
import type { ItemsRequest } from "./read-items-query.ts";

export function requirePlan(plan: Plan, asked: ItemsRequest): void {
  if (asked.filters.near !== null && !plan.geo)
    throw planRequired(plan, "geo", "Search around a point belongs to the Pro plan.");
  requireFields(plan, asked.fields);
  if (asked.limit === "all" && !plan.export)
    throw planRequired(plan, "export", "Exporting every match belongs to the Pro plan.");
}

export function requireFields(plan: Plan, fields: readonly string[] | null): void {
  const beyond = fieldsBeyond(plan, fields ?? []);
  if (beyond.length > 0) throw planRequired(plan, "fields", `The Pro plan is needed for ${beyond.join(", ")}.`);
}

function planRequired(plan: Plan, feature: string, detail: string): Problem {
  return new Problem("plan_required", { detail, members: { required_plan: "pro", current_plan: plan.id, feature } });
}
