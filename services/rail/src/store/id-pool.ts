/** Pre-generated IDs for rules that run in the database. Unused IDs are kept for later. */
import type { Context } from "../domain/post-entry.ts";

export interface IdPool {
  readonly take: (prefix: string) => string;
  /** Returns at least `count` IDs without consuming them. */
  readonly show: (prefix: string, count: number) => readonly string[];
  readonly used: (prefix: string, count: number) => void;
}

export function idPool({ newId }: Pick<Context, "newId">): IdPool {
  const idsByPrefix = new Map<string, string[]>();
  const of = (prefix: string): string[] => {
    const ids = idsByPrefix.get(prefix) ?? [];
    idsByPrefix.set(prefix, ids);
    return ids;
  };
  return {
    take: (prefix) => of(prefix).shift() ?? newId(prefix),
    show(prefix, count) {
      const ids = of(prefix);
      while (ids.length < count) ids.push(newId(prefix));
      return ids;
    },
    used: (prefix, count) => void of(prefix).splice(0, count),
  };
}
