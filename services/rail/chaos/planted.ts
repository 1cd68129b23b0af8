/** Secrets that the campaign plants, and where they turned up: lines that a process printed, tables of the ledger (L11). */
import type { Violation } from "./records.ts";

export interface Planted {
  plant(...texts: readonly string[]): void;
  /** Output of a process, in pieces as they come. */
  hear(text: string): void;
  readonly texts: readonly string[];
  readonly violations: readonly Violation[];
}

export function createPlanted(): Planted {
  const texts: string[] = [];
  const violations: Violation[] = [];
  /** A text may be torn between two pieces. */
  let end = "";

  return {
    texts,
    violations,
    plant: (...more) => void texts.push(...more),
    hear(text) {
      const heard = end + text;
      // Which one is not repeated: this would be another place where it stands.
      if (texts.some((one) => heard.includes(one)))
        violations.push({ law: "L11", message: "a process printed a planted secret" });
      end = heard.slice(-200);
    },
  };
}
