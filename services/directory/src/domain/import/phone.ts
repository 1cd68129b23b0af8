/**
 * Converts French telephone numbers to E.164. Overseas départements share number blocks, so the item's département
 * decides. Anything but exactly one number stays as imported.
 */
import { parsePhoneNumberFromString, type CountryCode } from "libphonenumber-js/max";
import { notesOf } from "./rules.ts";
import { cleanLine, type Cell } from "./text.ts";

const REGIONS: Readonly<Record<string, CountryCode>> = {
  "971": "GP",
  "972": "MQ",
  "973": "GF",
  "974": "RE",
  "976": "YT",
  "977": "BL",
  "978": "MF",
};
/**
 * Blocks of one country code, wherever the item is (source: Arcep, plan national de numérotation). The library assigns
 * some of them to the mainland.
 */
const OVERSEAS: Readonly<Record<string, string>> = {
  "0262": "262",
  "0263": "262",
  "0269": "262",
  "0639": "262",
  "0692": "262",
  "0693": "262",
  "0590": "590",
  "0690": "590",
  "0691": "590",
  "0594": "594",
  "0694": "594",
  "0596": "596",
  "0696": "596",
  "0697": "596",
};
const PHONE_LENGTH_MAX = 100;
const LABEL = /^t[ée]l(?:[ée]phone)?[\s.:]*/i;
/** Matches "(accueil)", but not the "(0)" of a number. */
const REMARK = /\s*\([^()\d]*\)\s*$/;

export function cleanPhone(raw: string, { column, notes }: Cell, departement: string | null = null): string | null {
  const text = cleanLine(raw, { column, notes: notesOf(1) });
  if (text === "") return null;
  const number = e164(text.replace(LABEL, "").replace(REMARK, ""), departement);
  if (number !== null) return number;
  notes.note("phone_as_imported", { column, value: "(not shown)", result: "(not shown)" });
  return text.slice(0, PHONE_LENGTH_MAX);
}

function e164(text: string, departement: string | null): string | null {
  if (!/^\+?[\d .()\-–/]+$/.test(text)) return null;
  const digits = text.replaceAll("(0)", "").replaceAll(/[ .()\-–/]/g, "");
  const abroad = digits.replace(/^00/, "+").replace(/^33(?=[1-9]\d{8}$)/, "+33");
  if (abroad.startsWith("+33")) return national(`0${abroad.slice(3).replace(/^0/, "")}`, departement);
  if (abroad.startsWith("+")) return parsePhoneNumberFromString(abroad)?.isPossible() ? abroad : null;
  // Spreadsheets drop the leading zero of number columns.
  return national(digits.length === 9 && /^[1-9]/.test(digits) ? `0${digits}` : digits, departement);
}

function national(digits: string, departement: string | null): string | null {
  if (!/^0[1-9]\d{8}$/.test(digits)) return null;
  const region = REGIONS[departement ?? ""];
  // Free and special numbers (08) are the same in all of France.
  const own = region !== undefined && !digits.startsWith("08") ? valid(digits, region) : null;
  if (own !== null) return own;
  const code = OVERSEAS[digits.slice(0, 4)];
  return code === undefined ? valid(digits, "FR") : `+${code}${digits.slice(1)}`;
}

function valid(digits: string, country: CountryCode): string | null {
  const number = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false });
  return number?.isValid() ? number.number : null;
}
