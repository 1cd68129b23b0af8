/**
 * CSV (RFC 4180, UTF-8, CRLF). Flattens objects and joins lists with `|`. Cells that a spreadsheet would run as a
 * formula get a leading apostrophe, except after `+` and `-`, which start telephone numbers.
 */
import { ALL_FIELD_NAMES, SUMMARY_FIELD_NAMES } from "@triptych/contracts";
import { csvCell } from "@triptych/util";
import type { Variant } from "../catalogue.ts";
import type { ProjectedItem } from "./json.ts";

export interface CsvShape {
  readonly variant: Variant;
  readonly fields: readonly string[] | null;
  readonly withDistance: boolean;
}

interface Column {
  readonly name: string;
  readonly value: (item: ProjectedItem) => unknown;
}

export function csvColumns({ variant, fields, withDistance }: CsvShape): readonly Column[] {
  const names = variant === "all" ? ALL_FIELD_NAMES : SUMMARY_FIELD_NAMES;
  const included =
    fields === null ? names : names.filter((name) => name === "type" || name === "slug" || fields.includes(name));
  return [...included, ...(withDistance ? ["distance_km"] : [])].flatMap(columnsOf);
}

export function csvHeader(columns: readonly Column[]): string {
  return `${columns.map((column) => column.name).join(",")}\r\n`;
}

export function csvRow(columns: readonly Column[], item: ProjectedItem): string {
  return `${columns.map((column) => cell(column.value(item))).join(",")}\r\n`;
}

const PARTS: Readonly<Record<string, readonly string[]>> = {
  commune: ["code", "nom"],
  departement: ["code", "slug", "nom"],
  region: ["code", "slug", "nom"],
  location: ["lat", "lon"],
  address: ["rue", "code_postal"],
};

function columnsOf(field: string): Column[] {
  const parts = PARTS[field];
  if (parts === undefined) return [{ name: field, value: (item) => flatten(field, item[field]) }];
  return parts.map((member) => ({
    name: field === "location" ? member : `${field}_${member}`,
    value: (item) => memberOf(item[field], member),
  }));
}

function flatten(field: string, value: unknown): unknown {
  if (field === "extra") return JSON.stringify(value ?? {});
  if (Array.isArray(value)) return value.map(textOf).join("|");
  return typeof value === "object" && value !== null ? textOf(value) : value;
}

/** A reference as `type/slug`, a titled link as its URL, anything else unchanged. */
function textOf(value: unknown): string {
  const slug = memberOf(value, "slug");
  if (slug !== undefined) return `${plain(memberOf(value, "type"))}/${plain(slug)}`;
  return plain(typeof value === "object" ? memberOf(value, "url") : value);
}

function memberOf(value: unknown, member: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[member] : undefined;
}

function plain(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function cell(value: unknown): string {
  if (typeof value !== "string") return plain(value);
  return csvCell(/^[=@\t\r]/.test(value) ? `'${value}` : value);
}
