/** SIRET: 14 digits with a Luhn check digit; for La Poste's establishments the digit sum must be divisible by 5. */
import type { Cell } from "./text.ts";

const LA_POSTE = "356000000";

export function isSiret(digits: string): boolean {
  if (!/^\d{14}$/.test(digits) || /^0+$/.test(digits)) return false;
  if (luhn(digits)) return true;
  return digits.startsWith(LA_POSTE) && digitSum(digits) % 5 === 0;
}

/** Removes spaces, restores float form (`….0`) and lost leading zeros; drops a number with a wrong check digit. */
export function cleanSiret(raw: string, { column, notes }: Cell): string | null {
  const digits = raw.replaceAll(/[\s\u00A0]/g, "");
  if (digits === "") return null;
  if (isSiret(digits)) return digits;
  const restored = digits.replace(/[.,]0+$/, "").padStart(14, "0");
  const lostLittle = digits.length >= 11 && isSiret(restored);
  notes.note(lostLittle ? "siret_restored" : "siret_dropped", {
    column,
    value: raw,
    result: lostLittle ? restored : null,
  });
  return lostLittle ? restored : null;
}

function luhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function digitSum(digits: string): number {
  return Array.from(digits, Number).reduce((sum, digit) => sum + digit, 0);
}
