/** Items of a worker as they may be kept: without secrets, and saying nothing in the panel's name. */
import type { Redactor } from "@triptych/redaction";
import type { BusItem } from "../domain/records.ts";

/** As deep as the bodies of the API may be. */
const DEPTH = 32;

export interface CleanItems {
  readonly items: readonly BusItem[];
  /** Secrets that were taken out. */
  readonly found: number;
}

export function cleanItems(items: readonly BusItem[], redactor: Redactor): CleanItems {
  let found = 0;
  const clean = (text: string): string => {
    const cleaned = redactor.clean(text);
    found += cleaned.found;
    return cleaned.text;
  };
  const value = (given: unknown, depth: number): unknown => {
    if (typeof given === "string") return clean(given);
    if (typeof given !== "object" || given === null) return given;
    if (depth === 0) return "[cut]";
    if (Array.isArray(given)) return given.map((one) => value(one, depth - 1));
    return Object.fromEntries(Object.entries(given).map(([name, one]) => [clean(name), value(one, depth - 1)]));
  };
  const orNull = (text: string | null) => (text === null ? null : clean(text));

  const texts = items.map(({ text }) => text);
  for (const [from, to] of speeches(items)) {
    const cleaned = redactor.cleanAll(texts.slice(from, to));
    found += cleaned.found;
    texts.splice(from, to - from, ...cleaned.texts);
  }
  const said = items.map(({ from: { role, agent, cli, model }, data, ...item }, index): BusItem => {
    // A worker speaks for its agents; only the panel speaks for the panel.
    const by = role === "panel" ? "worker" : role;
    const from = { role: by, agent: orNull(agent), cli: orNull(cli), model: orNull(model) } as const;
    return { ...item, from, text: texts[index] ?? "", data: value(data, DEPTH) as BusItem["data"] };
  });
  return { items: said, found };
}

/** What one of them says without another one speaking in between: an output that was cut into pieces. */
function speeches(items: readonly BusItem[]): readonly (readonly [from: number, to: number])[] {
  const found: [number, number][] = [];
  for (const [index, item] of items.entries()) {
    const last = found.at(-1);
    const before = items[index - 1];
    if (last !== undefined && before?.kind === item.kind && before.from.role === item.from.role) last[1] = index + 1;
    else found.push([index, index + 1]);
  }
  return found;
}
