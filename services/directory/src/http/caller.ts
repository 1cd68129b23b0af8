/** The authenticated caller of a request: what its plan and quota allow, and what its response costs. */
import type { ItemFormat, ListFormat } from "@triptych/contracts";
import { Problem } from "@triptych/server";
import type { AdmittedRequest, ApiKeyOwner } from "../domain/access.ts";
import type { Catalogue, Filters } from "../domain/catalogue.ts";
import type { Synonyms } from "../domain/search/synonyms.ts";
import type { ChangeLog } from "../domain/changes.ts";
import { fieldsBeyond, type Plan } from "../domain/plans.ts";
import type { ItemsRequest } from "./read-items-query.ts";

export interface Caller {
  readonly holder: ApiKeyOwner;
  readonly entry: AdmittedRequest;
  readonly plan: Plan;
  /** Items that this response may contain: the requested number, or the rest of the daily quota. */
  readonly granted: number;
  /** Throws `quota_exceeded` when items were requested and the quota is used up. */
  requireQuota(): void;
  /** Records what the response contains. A stream records repeatedly: it is billed for what it wrote. */
  record(sent: SentItems): void;
}

export interface SentItems {
  readonly items: number;
  readonly format: ItemFormat | ListFormat;
  readonly geo: boolean;
  /** True for a stream: items sent count even if it breaks. A page counts whole or not at all. */
  readonly partial?: boolean;
}

export interface AppContext {
  catalogue(): Catalogue | null;
  synonyms(): Synonyms;
  origin(): string;
  readonly changes: ChangeLog;
}

/** The catalogue for one request: all parts of a response come from one version. */
export function requireCatalogue(served: Pick<AppContext, "catalogue">): Catalogue {
  return catalogueOf(served)();
}

/** Defers `not_ready`: checks that need no catalogue come first. All calls return the same version. */
export function catalogueOf(served: Pick<AppContext, "catalogue">): () => Catalogue {
  const catalogue = served.catalogue();
  return () => {
    if (catalogue === null) throw new Problem("not_ready", { headers: { "Retry-After": "1" } });
    return catalogue;
  };
}

export function requirePlan(plan: Plan, request: ItemsRequest): void {
  if (isGeographic(request.filters) && !plan.geo)
    throw planRequired(plan, "geo", "Searching around a point or in a box requires the Pro plan.");
  requireFields(plan, request.fields);
  if (request.limit === "all" && !plan.export)
    throw planRequired(plan, "export", "Exporting every match requires the Pro plan.");
}

export function isGeographic({ near, box }: Pick<Filters, "near" | "box">): boolean {
  return near !== null || box !== null;
}

export function requireFields(plan: Plan, fields: readonly string[] | null): void {
  const beyond = fieldsBeyond(plan, fields ?? []);
  if (beyond.length > 0) throw planRequired(plan, "fields", `These fields require the Pro plan: ${beyond.join(", ")}.`);
}

function planRequired(plan: Plan, feature: string, detail: string): Problem {
  return new Problem("plan_required", { detail, members: { required_plan: "pro", current_plan: plan.id, feature } });
}
