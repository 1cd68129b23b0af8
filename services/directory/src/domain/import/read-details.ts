import type { ItemType } from "@triptych/contracts";
import { cleanDate, cleanTime } from "./dates.ts";
import type { Mapping } from "./mapping.ts";
import type { CellReader } from "./read-cells.ts";
import { cleaned, line } from "./read-content.ts";
import { fieldReader, referencesReader, type ItemReference } from "./read-fields.ts";
import type { Notes } from "./rules.ts";
import { cleanSiret } from "./siret.ts";
import type { Row } from "./table.ts";

const LINE_LENGTH_MAX = 1000;

interface ActorDetails {
  siret: string | null;
  legal_form: string | null;
  founded: string | null;
}
interface PlaceDetails {
  opening_hours: string | null;
  access: string | null;
  managed_by: ItemReference | null;
}
interface ArticleDetails {
  author: string | null;
  published_at: string | null;
  mentions: ItemReference[];
}
export type Details = ActorDetails | PlaceDetails | ArticleDetails;

export function detailsReader(
  mapping: Mapping,
  cells: CellReader,
): (type: ItemType, row: Row, notes: Notes) => Details {
  const read = {
    siret: fieldReader(mapping, "siret", cells),
    legal_form: fieldReader(mapping, "legal_form", cells),
    founded: fieldReader(mapping, "founded", cells),
    opening_hours: fieldReader(mapping, "opening_hours", cells),
    access: fieldReader(mapping, "access", cells),
    author: fieldReader(mapping, "author", cells),
    published_at: fieldReader(mapping, "published_at", cells),
  };
  const managedBy = referencesReader(mapping, "managed_by", cells);
  const mentions = referencesReader(mapping, "mentions", cells);
  return (type, row, notes) => {
    switch (type) {
      case "actor":
        return {
          siret: cleaned(read.siret(row, notes), cleanSiret),
          legal_form: line(read.legal_form(row, notes), LINE_LENGTH_MAX),
          founded: cleaned(read.founded(row, notes), cleanDate),
        };
      case "place":
        return {
          opening_hours: line(read.opening_hours(row, notes), LINE_LENGTH_MAX),
          access: line(read.access(row, notes), LINE_LENGTH_MAX),
          managed_by: managedBy(row, notes)[0] ?? null,
        };
      case "article":
        return {
          author: line(read.author(row, notes), LINE_LENGTH_MAX),
          published_at: cleaned(read.published_at(row, notes), cleanTime),
          mentions: mentions(row, notes),
        };
    }
  };
}
