/**
 * The minimum age of a release: most malicious and broken releases are withdrawn within days. A release without a date does not meet it,
 * because a registry that hides dates would otherwise turn the rule off.
 */
import type { Packument } from "./registry.ts";

export interface AgeRule {
  readonly days: number;
  isMet(packument: Pick<Packument, "time">, version: string): boolean;
}

const DAY_MS = 86_400_000;

/** `today` in ms since 1970. With 0 days, every release is old enough. */
export function createAgeRule(days: number, today: number): AgeRule {
  return {
    days,
    isMet(packument, version) {
      const publishedAt = releasedAt(packument, version);
      return days === 0 || (publishedAt !== null && today - publishedAt >= days * DAY_MS);
    },
  };
}

/** In ms since 1970; null if the registry has no date. */
export function releasedAt({ time }: Pick<Packument, "time">, version: string): number | null {
  const publishedAt = time?.[version];
  const at = typeof publishedAt === "string" ? Date.parse(publishedAt) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
