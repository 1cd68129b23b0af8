/** Amounts on the command line: euros with up to six decimals, or micro-euros as in the API. */
import { InvalidArgumentError } from "commander";

/** `12.50` is 12,500,000 micro-euros, `-3` subtracts three euros, `500micro` is the price of one decision. */
export function parseAmount(text: string): number {
  const micro = /^(-?\d{1,15})micro$/.exec(text)?.[1];
  if (micro !== undefined) return Number(micro);
  const [, sign, euros, decimals = ""] = /^(-?)(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (euros === undefined)
    throw new InvalidArgumentError("Expected euros such as 12.50 or -3, or micro-euros such as 500micro.");
  const amount = Number(euros) * 1_000_000 + Number(decimals.padEnd(6, "0"));
  return sign === "-" ? -amount : amount;
}

export function euros(micro: number): string {
  const digits = String(Math.abs(micro)).padStart(7, "0");
  const decimals = digits.slice(-6).replace(/0{1,4}$/, "");
  return `${micro < 0 ? "-" : ""}${digits.slice(0, -6)}.${decimals.padEnd(2, "0")} EUR`;
}
