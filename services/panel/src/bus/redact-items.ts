/** Prepares a worker's items for storage: redacts secrets and prevents impersonation of the panel. */
import type { Redactor } from "@triptych/redaction";
import type { BusItem } from "../domain/records.ts";

/** The depth limit of API bodies. */
const DEPTH = 32;

export interface CleanItems {
  readonly items: readonly BusItem[];
  readonly secretCount: number;
}

export function cleanItems(items: readonly BusItem[], redactor: Redactor): CleanItems {
  let secretCount = 0;
  const clean = (text: string): string => {
    const cleaned = redactor.clean(text);
    secretCount += cleaned.found;
    return cleaned.text;
  };
  const value = (input: unknown, depth: number): unknown => {
    if (typeof input === "string") return clean(input);
    if (typeof input !== "object" || input === null) return input;
    if (depth === 0) return "[cut]";
    if (Array.isArray(input)) return input.map((element) => value(element, depth - 1));
    return Object.fromEntries(Object.entries(input).map(([name, member]) => [clean(name), value(member, depth - 1)]));
  };
  const orNull = (text: string | null) => (text === null ? null : clean(text));

  const texts = items.map(({ text }) => text);
  for (const [from, to] of groupsBySpeaker(items)) {
    const cleaned = redactor.cleanAll(texts.slice(from, to));
    secretCount += cleaned.found;
    texts.splice(from, to - from, ...cleaned.texts);
  }
  const cleanedItems = items.map(({ from: { role, agent, cli, model }, data, ...item }, index): BusItem => {
    // A worker may use its agents' roles, but not the panel's.
    const by = role === "panel" ? "worker" : role;
    const from = { role: by, agent: orNull(agent), cli: orNull(cli), model: orNull(model) } as const;
    return { ...item, from, text: texts[index] ?? "", data: value(data, DEPTH) as BusItem["data"] };
  });
  return { items: cleanedItems, secretCount };
}

/** Consecutive items of one speaker: an output may be split. */
function groupsBySpeaker(items: readonly BusItem[]): readonly (readonly [from: number, to: number])[] {
  const ranges: [number, number][] = [];
  for (const [index, item] of items.entries()) {
    const last = ranges.at(-1);
    const before = items[index - 1];
    if (last !== undefined && before?.kind === item.kind && before.from.role === item.from.role) last[1] = index + 1;
    else ranges.push([index, index + 1]);
  }
  return ranges;
}
