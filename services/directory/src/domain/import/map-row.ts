/** Compiles a mapping once per file. Pure: the import time is a parameter. */
import type { ItemType, PlaceItem } from "@triptych/contracts";
import type { ItemFields } from "../catalogue.ts";
import { foldName } from "../reference.ts";
import type { Mapping } from "./mapping.ts";
import { cellReader, textReader, type CellReader } from "./read-cells.ts";
import { contentReader, SUMMARY_MAX, type Content, type ContentContext } from "./read-content.ts";
import { detailsReader } from "./read-details.ts";
import { tagsReader } from "./read-fields.ts";
import { geographyReader, type Geography, type GeographyContext } from "./read-place.ts";
import type { Notes } from "./rules.ts";
import type { Row } from "./table.ts";
import type { TagSpelling } from "./tag-labels.ts";
import { summaryOf } from "./text.ts";

export interface MappingContext extends GeographyContext, ContentContext {
  readonly columns: readonly string[];
  readonly type: ItemType;
}

export interface MappedRow {
  readonly sourceId: string;
  readonly fields: ItemFields;
  readonly tags: readonly TagSpelling[];
}

type CommonFields = Omit<Omit<PlaceItem, "url">, "opening_hours" | "access" | "managed_by">;

/** Returns null if the row is rejected; `notes` has the reasons. */
export type RowMapper = (row: Row, notes: Notes) => MappedRow | null;

const ID_LENGTH_MAX = 500;

export function compileMapping(mapping: Mapping, context: MappingContext): RowMapper {
  const cells = cellReader(context.columns);
  const sourceIdOf = idReader(mapping, cells);
  const typeOf = typeReader(mapping, context.type, cells);
  const geographyOf = geographyReader(mapping, context, cells);
  const contentOf = contentReader(mapping, context, cells);
  const tagsOf = tagsReader(mapping, cells);
  const detailsOf = detailsReader(mapping, cells);

  return (row, notes) => {
    if (row.broken !== undefined) {
      notes.note("row_unreadable", { value: row.broken });
      return null;
    }
    const sourceId = sourceIdOf(row, notes);
    const type = typeOf(row, notes);
    const geography = geographyOf(row, notes);
    const content = contentOf(row, notes, geography);
    const tags = tagsOf(row, notes);
    if (notes.rejected || sourceId === null || type === null || content === null) return null;
    const fields = { type, ...common(content, geography, tags), ...detailsOf(type, row, notes) };
    return { sourceId, fields, tags };
  };
}

function common(content: Content, geography: Geography, tags: readonly TagSpelling[]): Omit<CommonFields, "type"> {
  return {
    slug: "",
    title: content.title,
    summary: saysMore(content) ? content.summary : summaryOf(factsOf(geography, tags), SUMMARY_MAX),
    commune: geography.commune,
    departement: geography.departement,
    region: geography.region,
    tags: tags.map((tag) => tag.slug).sort(),
    updated_at: content.updated_at,
    location: geography.location,
    description: content.description,
    address: geography.address,
    website: content.website,
    email: content.email,
    phone: content.phone,
    images: content.images,
    links: content.links,
    same_as: content.same_as,
    sources: content.sources,
    licence: content.licence,
    created_at: content.created_at,
    extra: content.extra,
  };
}

function saysMore({ title, summary }: Content): boolean {
  if (summary === "") return false;
  return firstLetterOf(summary) !== firstLetterOf(title) || foldName(summary) !== foldName(title);
}

/** Distinguishes most summaries from their titles without folding them. */
function firstLetterOf(text: string): string {
  return foldName(/[\p{L}\p{N}]/u.exec(text)?.[0] ?? "");
}

/** Themes and town, for an item that has no text: `Parking, Aire de covoiturage - Bruz (Ille-et-Vilaine)`. */
function factsOf({ commune, departement }: Geography, tags: readonly TagSpelling[]): string {
  const [town, area] = [commune?.nom ?? "", departement?.nom ?? ""];
  const place = town === "" || town === area ? area : area === "" ? town : `${town} (${area})`;
  const themes = tags.map(({ label }) => label).join(", ");
  return [themes, place].filter((part) => part !== "").join(" - ");
}

type Read<Result> = (row: Row, notes: Notes) => Result;

function idReader(mapping: Mapping, cells: CellReader): Read<string | null> {
  const columns = typeof mapping.id === "string" ? [mapping.id] : mapping.id;
  const readers = columns.map(cells);
  const titleOf = mapping.title === undefined ? null : textReader(mapping.title, cells);
  return (row, notes) => {
    const parts = readers.map((read) => read(row).trim());
    if (parts.some((part) => part !== "")) return parts.join("/").slice(0, ID_LENGTH_MAX);
    const title = titleOf?.read(row, "").trim() ?? "";
    notes.note("id_missing", { column: columns.join(" + "), value: title === "" ? null : `"${title}"` });
    return null;
  };
}

function typeReader(mapping: Mapping, defaultType: ItemType, cells: CellReader): Read<ItemType | null> {
  const usual = mapping.const?.type ?? defaultType;
  const { type } = mapping;
  if (type === undefined) return () => usual;
  const read = cells(type.from);
  const kinds = new Map(Object.entries(type.map));
  return (row, notes) => {
    const value = read(row).trim();
    const kind = value === "" ? usual : kinds.get(value);
    if (kind !== undefined) return kind;
    notes.note("type_unknown", { column: type.from, value });
    return null;
  };
}
