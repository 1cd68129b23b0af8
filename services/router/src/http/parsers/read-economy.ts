/** Reads `economy`, and checks its labels against the routes that the decision considers. */
import type { BodyOf, decide } from "@triptych/contracts";
import { nearest, type ValidationErrors } from "@triptych/server";
import { isRecord } from "@triptych/util";
import type { Candidates } from "../../domain/candidates.ts";
import type { Economy } from "../../domain/economy.ts";
import type { Options } from "../../domain/decision-requests.ts";
import { escapePointer } from "./rules.ts";

type EconomySent = NonNullable<BodyOf<typeof decide>["economy"]>;

export function economyOf(sent: EconomySent): Economy {
  const prices = Object.entries(sent.prices).map(([label, { input, cached_input: cachedInput = null, output }]) => {
    return [label, { input, cachedInput, output }] as const;
  });
  return {
    incumbent: sent.incumbent ?? null,
    cachedTokens: sent.cached_tokens ?? 0,
    newTokens: sent.new_tokens,
    outputTokens: sent.output_tokens,
    errorCostMicro: sent.error_cost_micro ?? 0,
    prices: new Map(prices),
  };
}

interface Considered {
  readonly options: Options | null;
  readonly candidates: Candidates;
}

/** Also runs on invalid bodies, so that one response lists every issue. */
export function checkLabels(sent: unknown, considered: Considered, errors: ValidationErrors): void {
  const routesOfEach = routesConsidered(considered);
  if (!isRecord(sent) || routesOfEach === null) return;
  const places = isRecord(sent["prices"])
    ? Object.keys(sent["prices"]).map((label) => ({ label, path: `/economy/prices/${escapePointer(label)}` }))
    : [];
  const { incumbent } = sent;
  if (typeof incumbent === "string") places.push({ label: incumbent, path: "/economy/incumbent" });
  for (const { label, path } of places) {
    if (errors.isFull) return;
    if (errors.has(path)) continue;
    const lacking = routesOfEach.filter(({ routes }) => !routes.includes(label));
    if (lacking.length > 0) errors.add({ path, reason: "option_unknown", ...explained(label, lacking, routesOfEach) });
  }
}

interface RoutesOf {
  /** Null for the options of the request. */
  readonly expert: string | null;
  readonly routes: readonly string[];
}

/**
 * One entry per expert that may decide. A label must be a route of each of them, or the outcome would depend on the
 * text. Null if the request names no valid routes, which is reported separately.
 */
function routesConsidered({ options, candidates }: Considered): readonly RoutesOf[] | null {
  if (options !== null) {
    const routes = options.kind === "routes" ? options.labels : options.entries.map(({ label }) => label);
    return [{ expert: null, routes }];
  }
  if (candidates.found !== "experts") return null;
  return candidates.experts.map(({ name, head }) => ({ expert: name, routes: head.routes.map(({ route }) => route) }));
}

function explained(label: string, lacking: readonly RoutesOf[], all: readonly RoutesOf[]) {
  const { expert, routes } = lacking[0];
  if (lacking.length < all.length)
    return { message: `Several experts may decide and \`${expert}\` has no route with this name: set \`expert\`.` };
  const suggestions = nearest(label, routes, 1);
  const hint = suggestions.length > 0 ? ` Did you mean \`${suggestions[0]}\`?` : "";
  const message = `This is not one of the considered routes.${hint}`;
  return { message, ...(suggestions.length > 0 && { suggestions }) };
}
