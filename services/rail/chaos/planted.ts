/** Plants secrets in the campaign, and detects processes that print one (L11). */
import type { Violation } from "./records.ts";

export interface Planted {
  /** Searches earlier output as well. */
  plant(...texts: readonly string[]): void;
  /** Takes a chunk of the output of a process. */
  scan(text: string): void;
  readonly texts: readonly string[];
  readonly violations: readonly Violation[];
}

/** Longer than any planted text, because one may span two chunks. */
const OVERLAP = 200;
/** Larger than everything that the processes print before the last secret is planted. */
const EARLY_MAX = 1_000_000;

export function createPlanted(): Planted {
  const texts: string[] = [];
  const violations: Violation[] = [];
  let early = "";
  let end = "";

  return {
    texts,
    violations,
    plant(...more) {
      texts.push(...more);
      check(early, more);
    },
    scan(text) {
      if (early.length < EARLY_MAX) early += text;
      check(end + text, texts);
      end = (end + text).slice(-OVERLAP);
    },
  };

  /** Reports a violation that does not repeat the secret. */
  function check(printed: string, planted: readonly string[]): void {
    if (planted.some((secret) => printed.includes(secret)))
      violations.push({ law: "L11", message: "a process printed a planted secret" });
  }
}
