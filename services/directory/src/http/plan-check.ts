import { Problem } from "@triptych/server";
import { fieldsBeyond, type Plan } from "../domain/plans.ts";
import type { ItemsRequest } from "./read-items-query.ts";

export function requirePlan(plan: Plan, request: ItemsRequest): void {
  if (request.filters.near !== null && !plan.geo)
    throw planRequired(plan, "geo", "Searching around a point requires the Pro plan.");
  requireFields(plan, request.fields);
  if (request.limit === "all" && !plan.export)
    throw planRequired(plan, "export", "Exporting every match requires the Pro plan.");
}

export function requireFields(plan: Plan, fields: readonly string[] | null): void {
  const beyond = fieldsBeyond(plan, fields ?? []);
  if (beyond.length > 0) throw planRequired(plan, "fields", `These fields require the Pro plan: ${beyond.join(", ")}.`);
}

function planRequired(plan: Plan, feature: string, detail: string): Problem {
  return new Problem("plan_required", { detail, members: { required_plan: "pro", current_plan: plan.id, feature } });
}
