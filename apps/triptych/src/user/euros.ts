/** Amounts on the command line: euros for people, whole micro-euros for the API. */
import { UsageError } from "./profile.ts";

const MICRO = 1_000_000;
const DIGITS = 6;

export function euros(micro: number): string {
  return `${(micro / MICRO).toFixed(4)} €`;
}

/** Prints all decimals, and at least two, because limits are exact. */
export function exactEuros(micro: number): string {
  return `${(micro / MICRO).toFixed(DIGITS).replace(/0{1,4}$/, "")} €`;
}

/**
 * Parses digits, so that binary fractions cannot change an amount. @param decimals 2 for payments, which are whole
 * cents.
 */
export function microIn(text: string, decimals = 2): number {
  const [, whole = "", fraction = ""] = /^(\d{1,6})(?:[.,](\d{1,6}))?$/.exec(text) ?? [];
  if (whole === "" || fraction.length > decimals) {
    const example = decimals > 2 ? "0.0005 or 12.50" : "10 or 12.50";
    throw new UsageError(`Write an amount in euros, such as ${example}.`);
  }
  return Number(whole) * MICRO + Number(fraction.padEnd(DIGITS, "0"));
}
