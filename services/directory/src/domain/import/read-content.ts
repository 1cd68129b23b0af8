import type { PlaceItem } from "@triptych/contracts";
import type { ItemFields } from "../catalogue.ts";
import { cleanTime } from "./dates.ts";
import type { Mapping } from "./mapping.ts";
import { cleanPhone } from "./phone.ts";
import type { CellReader } from "./read-cells.ts";
import { extraReader, fieldReader, urlsReader, type FieldReader } from "./read-fields.ts";
import type { Notes } from "./rules.ts";
import type { Row } from "./table.ts";
import { cleanLine, cleanText, shortened, summaryOf } from "./text.ts";
import { cleanEmail, cleanUrl } from "./web.ts";

export type ItemSource = ItemFields["sources"][number];

export interface ContentContext {
  readonly source: ItemSource;
  /**
   * Import time, RFC 3339: the default of `created_at` and `updated_at`. The store recognizes it and keeps the earlier
   * times of an unchanged item.
   */
  readonly now: string;
}

export const SUMMARY_MAX = 300;
const LENGTH_MAX = { title: 200, summary: SUMMARY_MAX, description: 20_000, licence: 100 } as const;

type ContentField =
  | "title"
  | "summary"
  | "description"
  | "website"
  | "email"
  | "phone"
  | "images"
  | "links"
  | "same_as"
  | "sources"
  | "licence"
  | "created_at"
  | "updated_at"
  | "extra";
export type Content = Pick<PlaceItem, ContentField>;

export type ContentReader = (
  row: Row,
  notes: Notes,
  geography: Pick<ItemFields, "commune" | "departement">,
) => Content | null;

/** Null and a note when the row has no title, which items require. */
export function contentReader(mapping: Mapping, { source, now }: ContentContext, cells: CellReader): ContentReader {
  const read = {
    title: fieldReader(mapping, "title", cells),
    summary: fieldReader(mapping, "summary", cells),
    description: fieldReader(mapping, "description", cells),
    website: fieldReader(mapping, "website", cells),
    email: fieldReader(mapping, "email", cells),
    phone: fieldReader(mapping, "phone", cells),
    licence: fieldReader(mapping, "licence", cells),
    created_at: fieldReader(mapping, "created_at", cells),
    updated_at: fieldReader(mapping, "updated_at", cells),
  };
  const imagesOf = urlsReader(mapping, "images", cells);
  const linksOf = urlsReader(mapping, "links", cells);
  const sameAsOf = urlsReader(mapping, "same_as", cells);
  const extraOf = extraReader(mapping, cells);
  const sources = [source];

  return (row, notes, { commune, departement }) => {
    const communeName = commune?.nom ?? commune?.code ?? "";
    const title = line(read.title(row, notes, communeName), LENGTH_MAX.title);
    if (title === null) {
      notes.note("title_missing", { column: columnOf(mapping) });
      return null;
    }
    const described = read.description(row, notes, communeName);
    const description =
      described === null
        ? null
        : shortened(cleanText(described.raw, described), LENGTH_MAX.description, described) || null;
    const summary =
      line(read.summary(row, notes, communeName), LENGTH_MAX.summary) ??
      summaryOf(description ?? "", LENGTH_MAX.summary);
    return {
      title,
      summary,
      description,
      website: cleaned(read.website(row, notes), cleanUrl),
      email: cleaned(read.email(row, notes), cleanEmail),
      phone: cleaned(read.phone(row, notes), (raw, cell) => cleanPhone(raw, cell, departement?.code)),
      images: imagesOf(row, notes),
      links: linksOf(row, notes),
      same_as: sameAsOf(row, notes).map((entry) => entry.url),
      sources,
      licence: line(read.licence(row, notes), LENGTH_MAX.licence) ?? source.licence,
      created_at: cleaned(read.created_at(row, notes), cleanTime) ?? now,
      updated_at: cleaned(read.updated_at(row, notes), cleanTime) ?? now,
      extra: extraOf(row, notes),
    };
  };
}

type Text = ReturnType<FieldReader>;

export function line(text: Text, most: number): string | null {
  if (text === null) return null;
  return shortened(cleanLine(text.raw, text), most, text) || null;
}

export function cleaned(text: Text, clean: (raw: string, cell: NonNullable<Text>) => string | null): string | null {
  return text === null ? null : clean(text.raw, text);
}

function columnOf({ title }: Mapping): string | null {
  return typeof title === "string" ? title : title === undefined ? null : JSON.stringify(title);
}
