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

type By = "code" | "name";

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
export function readDepartement(raw: string, by: By, cell: Cell): Departement | null {
  const text = raw.trim();
  if (text === "") return null;
  const found =
    by === "code"
      ? (departementCode(text, cell) ?? departementByName(text))
      : (departementByName(text) ?? departementCode(text, cell));
  if (found !== undefined) return found;
  cell.notes.note("departement_unknown", { column: cell.column, value: raw });
  return null;
}

/**
 * From the first digits. Wrong for about forty communes served from across a border, so only on request of the mapping.
 */
export function departementOfPostalCode(raw: string, { column, notes }: Cell): Departement | null {
  const code = /^(?:F-?)?(\d{5})(?:\.0)?$/.exec(raw.trim())?.[1] ?? "";
  const corsican = /^20[01]/.test(code) ? "2A" : /^20[26]/.test(code) ? "2B" : code;
  const found = departementOfCommune(corsican.padEnd(5, "0"));
  if (found === undefined && raw.trim() !== "") notes.note("departement_unknown", { column, value: raw });
  return found ?? null;
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

function departementCode(text: string, { column, notes }: Cell): Departement | undefined {
  const exact = departementByCode(text);
  if (exact !== undefined) return exact;
  const bare = text.replace(/[.,]0+$/, "").toUpperCase();
  const restored = /^\d$/.test(bare) ? `0${bare}` : bare.replace(/^0(?=\d{2}$|2[AB]$)/, "");
  const found = departementByCode(restored);
  if (found !== undefined) notes.note("departement_code_restored", { column, value: text, result: restored });
  return found;
}

/** The département's région wins over the mapped one; notes a difference. */
export function readRegion(raw: string, by: By, departement: Departement | null, cell: Cell): Region | null {
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
