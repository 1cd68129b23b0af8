/** Selects the experts for a request, and finds requested routes that they do not have. */
import type { DecisionRequest } from "./decision-requests.ts";
import { isUnusable, type Expert, type Experts, type InvalidHead } from "./experts.ts";

export type Candidates =
  | { readonly found: "experts"; readonly experts: readonly Expert[] }
  /** The caller defines the routes; no expert is used. */
  | { readonly found: "vocabulary" }
  | { readonly found: "no_expert"; readonly name: string; readonly existing: readonly string[] }
  | { readonly found: "not_usable"; readonly why: InvalidHead }
  | UnknownRoutes;

export interface UnknownRoutes {
  readonly found: "unknown_routes";
  /** The options as sent, and the indexes of unknown ones. */
  readonly labels: readonly string[];
  readonly indexes: readonly number[];
  readonly existing: readonly string[];
}

export async function candidatesFor(
  experts: Experts,
  owner: string,
  { expert: name, options }: Pick<DecisionRequest, "expert" | "options">,
): Promise<Candidates> {
  if (options?.kind === "vocabulary") return { found: "vocabulary" };
  const pinned = name === null ? null : await experts.find(owner, name);
  if (name !== null && pinned === null) {
    const existing = await experts.list(owner);
    return { found: "no_expert", name, existing: existing.map((expert) => expert.name) };
  }
  if (isUnusable(pinned)) return { found: "not_usable", why: pinned };
  const selected = pinned === null ? await experts.inPlay(owner) : [pinned];
  if (options === null) return { found: "experts", experts: selected };
  return restricted(selected, options.labels);
}

/**
 * Drops experts that do not have all requested routes. If none is left, the error is about the expert with the fewest
 * missing routes.
 */
function restricted(selected: readonly Expert[], labels: readonly string[]): Candidates {
  const missing = selected.map(({ head }) => {
    const routes = new Set(head.routes.map(({ route }) => route));
    return [...labels.keys()].filter((index) => !routes.has(labels[index]));
  });
  const able = selected.filter((_, index) => missing[index].length === 0);
  if (able.length > 0) return { found: "experts", experts: able };
  const fewest = missing.toSorted((a, b) => a.length - b.length)[0];
  const existing = new Set(selected.flatMap(({ head }) => head.routes.map(({ route }) => route)));
  return { found: "unknown_routes", labels, indexes: fewest, existing: [...existing] };
}
