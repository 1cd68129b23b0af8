/** Column numbers of types, départements and régions: from 1, in list order. */
import { ITEM_TYPES, type ItemType } from "@triptych/contracts";
import { DEPARTEMENTS, REGIONS } from "../reference.ts";
import { compareBytes } from "./string-table.ts";

export const ITEM_TYPES_BY_BYTES: readonly ItemType[] = [...ITEM_TYPES].sort(compareBytes);
export const TYPE_NUMBERS = numbered(ITEM_TYPES_BY_BYTES);
export const DEPARTEMENT_NUMBERS = numbered(DEPARTEMENTS.map(({ code }) => code));
export const REGION_NUMBERS = numbered(REGIONS.map(({ code }) => code));

function numbered(values: readonly string[]): ReadonlyMap<string, number> {
  return new Map(values.map((value, position) => [value, position + 1]));
}
