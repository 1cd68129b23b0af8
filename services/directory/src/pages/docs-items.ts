import {
  ITEM_FORMATS,
  ITEM_TYPES,
  LIST_FORMATS,
  MEDIA_TYPES,
  distanceField,
  highlightsField,
  proFields,
  summaryFields,
  typeFields,
} from "@triptych/contracts";
import { html, type Html, prose, schemaShape } from "@triptych/server";

export function fieldTable(): Html {
  return html`<section id="fields">
    <h2>Fields of an item</h2>
    <p>
      Every field of the plan and type is always present: unknown values are <code>null</code>, empty lists
      <code>[]</code>. There are no other fields. <code>fields=</code> selects a subset.
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="Fields of an item">
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Plan</th>
            <th scope="col">Type</th>
            <th scope="col">Schema</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        <tbody>
          ${rows(summaryFields, "every", "every type")} ${rows(proFields, "pro", "every type")}
          ${ITEM_TYPES.map((type) => html`${rows(typeFields[type], "pro", type)}`)}
          ${rows(distanceField, "pro", "with near")} ${rows(highlightsField, "every", "with highlight")}
        </tbody>
      </table>
    </div>
  </section>`;
}

function rows(fields: Readonly<Record<string, object>>, plan: string, of: string): readonly Html[] {
  return Object.entries(fields).map(([name, schema]) => {
    const meaning = "description" in schema ? String(schema.description) : "";
    const form = toSingleLine(schemaShape(schema));
    return html`<tr data-filter>
      <th scope="row"><code>${name}</code></th>
      <td>${plan}</td>
      <td>${of}</td>
      <td><code>${form}</code></td>
      <td>${prose(meaning)}</td>
    </tr>`;
  });
}

function toSingleLine(shape: string): string {
  return shape
    .replaceAll(/ *\/\/[^\n]*/g, "")
    .replaceAll(/\{\n */g, "{ ")
    .replaceAll(/\n *\}/g, " }")
    .replaceAll(/\n */g, ", ");
}

const FORMAT_NOTES: Readonly<Record<keyof typeof MEDIA_TYPES, string>> = {
  json: "A page with `items`, `total` and links; a single item is a plain object.",
  geojson: "FeatureCollection or Feature (RFC 7946), positions as lon, lat; geometry is null on Discovery.",
  csv: "RFC 4180, UTF-8, CRLF; objects flattened (`commune_code`), lists joined by `|`. Total and next page in `X-Total-Count` and `Link`.",
  ndjson: "One item per line. Total and next page in `X-Total-Count` and `Link`.",
  "ld+json": "schema.org Organization, Place or Article.",
};

export function formatTable(): Html {
  const formats = [...new Set([...LIST_FORMATS, ...ITEM_FORMATS])];
  const where = (format: string) =>
    [
      LIST_FORMATS.some((candidate) => candidate === format) && "/api/items",
      ITEM_FORMATS.some((candidate) => candidate === format) && "/api/item",
    ]
      .filter((path) => path !== false)
      .join(", ");
  return html`<section id="formats">
    <h2>Formats</h2>
    <p>
      <code>format=</code> takes precedence over <code>Accept</code>; the default is JSON.
      <code>limit=all</code> streams every match as csv, ndjson or geojson (Pro).
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="Formats">
      <table>
        <thead>
          <tr>
            <th scope="col">Format</th>
            <th scope="col">Media type</th>
            <th scope="col">Where</th>
            <th scope="col">Notes</th>
          </tr>
        </thead>
        <tbody>
          ${formats.map(
            (format) =>
              html`<tr data-filter>
                <th scope="row"><code>${format}</code></th>
                <td><code>${MEDIA_TYPES[format]}</code></td>
                <td>${where(format)}</td>
                <td>${prose(FORMAT_NOTES[format])}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}
