import { createMatcher } from "@triptych/change-policy";
import type { MemoryRecord } from "./records.ts";

/** 2,000 tokens of about four characters. */
const BUDGET_CHARACTERS = 8_000;
const HALF_LIFE_MS = 30 * 86_400_000;

/** Skips memories that do not fit, so that a long one does not exclude shorter ones after it. */
export function chooseMemories(
  memories: readonly MemoryRecord[],
  { focus, now }: { readonly focus: string; readonly now: number },
): readonly MemoryRecord[] {
  const paths = focus.match(/[\w./-]+/g) ?? [];
  const rank = (memory: MemoryRecord) => (memory.pinned ? 2 : isAbout(memory, paths) ? 1 : 0);
  const ordered = memories
    .filter(({ status }) => status === "active")
    .toSorted((a, b) => rank(b) - rank(a) || usefulnessOf(b, now) - usefulnessOf(a, now) || (a.id < b.id ? -1 : 1));
  let left = BUDGET_CHARACTERS;
  return ordered.filter(({ text }) => {
    if (text.length > left) return false;
    left -= text.length;
    return true;
  });
}

function isAbout({ scope }: MemoryRecord, paths: readonly string[]): boolean {
  return scope !== null && paths.some(createMatcher([scope]));
}

/** Number of hits, halved for every month since the last use. A new memory counts as one hit now. */
function usefulnessOf({ hits, lastUsedAt, createdAt }: MemoryRecord, now: number): number {
  const age = Math.max(0, now - (lastUsedAt ?? createdAt));
  return (hits + 1) * 2 ** (-age / HALF_LIFE_MS);
}
