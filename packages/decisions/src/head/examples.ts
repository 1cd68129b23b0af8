/**
 * Normalizes training examples, so that input order has no effect. Texts equal after normalization are merged;
 * conflicting labels are resolved by majority and reported.
 */
import { normaliseText } from "../text/readable.ts";

export interface HeadExample {
  readonly text: string;
  readonly context?: string;
  readonly route: string | null;
  /**
   * Texts with the same phrasing share a group and stay together in cross-fitting. By default, each text is its own
   * group.
   */
  readonly group?: string;
  readonly lang?: string | null;
}

export interface PreparedExample {
  readonly text: string;
  readonly context: string;
  readonly route: number;
  readonly group: string;
  readonly lang: string | null;
}

export interface Contradiction {
  readonly text: string;
  readonly routes: readonly (string | null)[];
}

export function prepareExamples(examples: readonly HeadExample[], routes: readonly string[]) {
  const indexByRoute = new Map(routes.map((route, index) => [route, index]));
  const byText = new Map<string, HeadExample[]>();
  for (const example of examples) {
    const key = `${normaliseText(example.context ?? "")}\n${normaliseText(example.text)}`;
    const same = byText.get(key);
    if (same === undefined) byText.set(key, [example]);
    else same.push(example);
  }
  const contradictions: Contradiction[] = [];
  const prepared: PreparedExample[] = [];
  for (const same of byText.values()) {
    const votes = new Map<number, number>();
    for (const { route } of same) {
      const index = route === null ? -1 : indexByRoute.get(route);
      if (index === undefined)
        throw new RangeError(`An example has the route "${route}", which is not one of the routes.`);
      votes.set(index, (votes.get(index) ?? 0) + 1);
    }
    const ranked = [...votes].toSorted(([a, m], [b, n]) => n - m || a - b);
    const [first] = same.toSorted(
      (a, b) =>
        compare(a.text, b.text) ||
        compare(a.context ?? "", b.context ?? "") ||
        compare(a.group ?? "", b.group ?? "") ||
        compare(a.lang ?? "", b.lang ?? ""),
    );
    if (ranked.length > 1)
      contradictions.push({ text: first.text, routes: ranked.map(([index]) => routes[index] ?? null) });
    prepared.push({
      text: first.text,
      context: first.context ?? "",
      route: ranked[0][0],
      group: first.group ?? first.text,
      lang: first.lang ?? null,
    });
  }
  prepared.sort((a, b) => a.route - b.route || compare(a.group, b.group) || compare(a.text, b.text));
  contradictions.sort((a, b) => compare(a.text, b.text));
  return { prepared, contradictions };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
