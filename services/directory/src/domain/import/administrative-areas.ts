/**
 * Commune, département and région of a row. Precedence: mapped value, INSEE code of the commune, outline around the
 * location. Restores and reports codes damaged by spreadsheets (`1001.0`, `1`, `2a004`).
 */
import {
  departementByCode,
  departementByName,
  departementOfCommune,
  foldName,
  regionByCode,
  regionByName,
  type Departement,
  type Region,
} from "../reference.ts";
import { FORMER_REGIONS } from "./former-regions.ts";
import type { Cell } from "./text.ts";

type AreaKey = "code" | "name";

export function readCommuneCode(raw: string, { column, notes }: Cell): string | null {
  const text = raw.replaceAll(/[\s\u00A0]/g, "");
  if (text === "") return null;
  if (isCommuneCode(text)) return text;
  const bare = text.replace(/[.,]0+$/, "").toUpperCase();
  const restored = /^\d{4}$/.test(bare) ? `0${bare}` : bare;
  if (isCommuneCode(restored)) {
    notes.note("commune_code_restored", { column, value: raw, result: restored });
    return restored;
  }
  notes.note("commune_code_unreadable", { column, value: raw });
  return null;
}

function isCommuneCode(text: string): boolean {
  return /^(?:\d{2}|2[AB])\d{3}$/.test(text) && !text.startsWith("00");
}

/** Tries the mapped form, then the other one; null and a note when neither matches. */
export function readDepartement(raw: string, by: AreaKey, cell: Cell): Departement | null {
  const text = raw.trim();
  if (text === "") return null;
  const found =
    by === "code"
      ? (departementCode(text, cell) ?? departementName(text))
      : (departementName(text) ?? departementCode(text, cell));
  if (found !== undefined) return found;
  cell.notes.note("departement_unknown", { column: cell.column, value: raw });
  return null;
}

/** Five digits, a lost leading zero restored; null for anything else. */
export function postalCodeIn(raw: string): string | null {
  const digits = /^(?:F-?)?(\d{4,5})(?:\.0+)?$/.exec(raw.replaceAll(/[\s\u00A0]/g, ""))?.[1];
  return digits === undefined ? null : digits.padStart(5, "0");
}

/** Restores a lost leading zero only if the département confirms it: Belgian codes have four digits too. */
export function readPostalCode(raw: string, departement: Departement | null, { column, notes }: Cell): string | null {
  const text = raw.replaceAll(/[\s\u00A0]/g, "");
  if (text === "") return null;
  const restored = text.replace(/\.0+$/, "").padStart(5, "0");
  const lostZero =
    restored !== text &&
    /^\d{4,5}(?:\.0+)?$/.test(text) &&
    departement !== null &&
    restored.startsWith(departement.code);
  if (!lostZero) return raw.trim().slice(0, 20);
  notes.note("postal_code_restored", { column, value: raw, result: restored });
  return restored;
}

/** Communes of the Métropole de Lyon keep codes and postal codes of the Rhône. */
function departementName(text: string): Departement | undefined {
  return departementByName(foldName(text) === "metropoledelyon" ? "Rhône" : text);
}

function departementCode(text: string, { column, notes }: Cell): Departement | undefined {
  const exact = departementByCode(text);
  if (exact !== undefined) return exact;
  const restored = restoreDepartementCode(text);
  const found = departementByCode(restored);
  if (found !== undefined) notes.note("departement_code_restored", { column, value: text, result: restored });
  return found;
}

/** `1`, `1.0`, `069` and `2a` as spreadsheets write them; the Rhône and Métropole de Lyon (`69D`, `69M`) are 69. */
export function restoreDepartementCode(text: string): string {
  const bare = text
    .replace(/[.,]0+$/, "")
    .toUpperCase()
    .replace(/^69[DM]$/, "69");
  return /^\d$/.test(bare) ? `0${bare}` : bare.replace(/^0(?=\d{2}$|2[AB]$)/, "");
}

/** The département's région wins over the mapped one; notes a difference. */
export function readRegion(raw: string, by: AreaKey, departement: Departement | null, cell: Cell): Region | null {
  const text = raw.trim();
  const own = departement === null ? undefined : regionByCode(departement.region);
  if (text === "") return own ?? null;
  const found =
    by === "code"
      ? (regionCode(text, cell) ?? regionName(text, cell))
      : (regionName(text, cell) ?? regionCode(text, cell));
  if (own !== undefined) {
    if (found !== own) cell.notes.note("region_from_departement", { column: cell.column, value: raw, result: own.nom });
    return own;
  }
  if (found === undefined) cell.notes.note("region_unknown", { column: cell.column, value: raw });
  return found ?? null;
}

function regionCode(text: string, { column, notes }: Cell): Region | undefined {
  const exact = regionByCode(text);
  if (exact !== undefined) return exact;
  const restored = text.replace(/[.,]0+$/, "").padStart(2, "0");
  const found = regionByCode(restored);
  if (found !== undefined) notes.note("region_code_restored", { column, value: text, result: restored });
  return found;
}

function regionName(text: string, { column, notes }: Cell): Region | undefined {
  const today = regionByName(text);
  if (today !== undefined) return today;
  const found = regionByCode(FORMER_REGIONS.get(foldName(text)) ?? "");
  if (found !== undefined) notes.note("region_former_name", { column, value: text, result: found.nom });
  return found;
}

export function departementOfCode(code: string | null): Departement | null {
  return code === null ? null : (departementOfCommune(code) ?? null);
}
