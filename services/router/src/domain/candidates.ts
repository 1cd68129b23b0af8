/** Which experts may answer a request, and which of the routes it names they do not have. */
import type { DecisionOrder } from "./decision-requests.ts";
import { isUnusable, type Expert, type Experts, type Unusable } from "./experts.ts";

export type Candidates =
  | { readonly found: "experts"; readonly experts: readonly Expert[] }
  /** Options of the caller's own: no expert takes part. */
  | { readonly found: "vocabulary" }
  | { readonly found: "no_expert"; readonly name: string; readonly known: readonly string[] }
  | { readonly found: "not_usable"; readonly why: Unusable }
  | UnknownRoutes;

export interface UnknownRoutes {
  readonly found: "unknown_routes";
  /** Options as they were sent, and the places of those that nobody has. */
  readonly labels: readonly string[];
  readonly places: readonly number[];
  /** Routes that could have been meant. */
  readonly known: readonly string[];
}

export async function candidatesFor(
  experts: Experts,
  owner: string,
  { expert: name, options }: Pick<DecisionOrder, "expert" | "options">,
): Promise<Candidates> {
  if (options?.kind === "vocabulary") return { found: "vocabulary" };
  const pinned = name === null ? null : await experts.find(owner, name);
  if (name !== null && pinned === null) {
    const known = await experts.list(owner);
    return { found: "no_expert", name, known: known.map((expert) => expert.name) };
  }
  if (isUnusable(pinned)) return { found: "not_usable", why: pinned };
  const asked = pinned === null ? await experts.inPlay(owner) : [pinned];
  if (options === null) return { found: "experts", experts: asked };
  return restricted(asked, options.labels);
}

/** An expert that lacks one of the routes is out; where all are, the one that has the most of them is taken at its word. */
function restricted(asked: readonly Expert[], labels: readonly string[]): Candidates {
  const missing = asked.map(({ head }) => {
    const routes = new Set(head.routes.map(({ route }) => route));
    return [...labels.keys()].filter((place) => !routes.has(labels[place]));
  });
  const able = asked.filter((_, place) => missing[place].length === 0);
  if (able.length > 0) return { found: "experts", experts: able };
  const fewest = missing.toSorted((a, b) => a.length - b.length)[0];
  const known = new Set(asked.flatMap(({ head }) => head.routes.map(({ route }) => route)));
  return { found: "unknown_routes", labels, places: fewest, known: [...known] };
}
