/** The text of an export around and between its items. */
import type { StoredItem } from "../domain/catalogue.ts";
import { csvColumns, csvHeader, csvRow } from "../domain/serializers/csv.ts";
import { collectionFrame, toFeature } from "../domain/serializers/geojson.ts";
import type { ProjectedItem } from "../domain/serializers/json.ts";

export type ExportFormat = "ndjson" | "json" | "csv" | "geojson";

export interface ExportText {
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  row(stored: StoredItem): string;
}

/** `origin`: public URL of the service, for the field `url`; if empty, `url` is a path. */
export function exportText(format: ExportFormat, origin: string): ExportText {
  switch (format) {
    case "ndjson":
      return { head: "", separator: "", tail: "", row: (stored) => `${JSON.stringify(withSource(stored))}\n` };
    case "json":
      return { head: "[", separator: ",\n", tail: "]\n", row: (stored) => JSON.stringify(withSource(stored)) };
    case "csv": {
      const columns = csvColumns({ variant: "all", fields: null, withDistance: false });
      return {
        head: csvHeader(columns),
        separator: "",
        tail: "",
        row: (stored) => csvRow(columns, asInApi(stored, origin)),
      };
    }
    case "geojson": {
      const [head, tail] = collectionFrame({});
      return {
        head,
        separator: ",",
        tail: `${tail}\n`,
        row: (stored) => JSON.stringify(toFeature(asInApi(stored, origin))),
      };
    }
  }
}

function withSource({ sourceName, sourceId, item }: StoredItem): object {
  return { ...item, source_name: sourceName, source_id: sourceId };
}

function asInApi({ item }: StoredItem, origin: string): ProjectedItem {
  return { ...item, url: `${origin}/api/item/${item.type}/${item.slug}` };
}
