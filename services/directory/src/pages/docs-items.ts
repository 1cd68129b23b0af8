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
import { fill, html, type Html, prose, schemaShape } from "@triptych/server";
import type { Language } from "../domain/language.ts";
import { translate } from "../french/french-contract.ts";
import { DOCS_TEXTS } from "./docs-texts.ts";

export function fieldTable(language: Language): Html {
  const texts = DOCS_TEXTS[language].fields;
  const { everyPlan, everyType } = texts;
  return html`<section id="fields">
    <h2>${texts.title}</h2>
    <p>${prose(texts.about)}</p>
    ${table(
      texts.title,
      [texts.field, texts.plan, texts.type, texts.schema, texts.description],
      [
        ...rows(summaryFields, [everyPlan, everyType], language),
        ...rows(proFields, ["pro", everyType], language),
        ...ITEM_TYPES.flatMap((type) => rows(typeFields[type], ["pro", type], language)),
        ...rows(distanceField, ["pro", fill(texts.with, "near")], language),
        ...rows(highlightsField, [everyPlan, fill(texts.with, "highlight")], language),
      ],
    )}
  </section>`;
}

/** Scrolls sideways on narrow screens, with the keyboard too. */
export function table(title: string, columns: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}">
    <table>
      <thead>
        <tr>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function rows(
  fields: Readonly<Record<string, object>>,
  [plan, of]: readonly [plan: string, of: string],
  language: Language,
): readonly Html[] {
  return Object.entries(language === "fr" ? translate(fields) : fields).map(([name, schema]) => {
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

export function formatTable(language: Language): Html {
  const texts = DOCS_TEXTS[language].formats;
  const formats = [...new Set([...LIST_FORMATS, ...ITEM_FORMATS])];
  const where = (format: string) =>
    [
      LIST_FORMATS.some((candidate) => candidate === format) && "/api/items",
      ITEM_FORMATS.some((candidate) => candidate === format) && "/api/item",
    ]
      .filter((path) => path !== false)
      .join(", ");
  return html`<section id="formats">
    <h2>${texts.title}</h2>
    <p>${prose(texts.about)}</p>
    ${table(
      texts.title,
      [texts.format, texts.media, texts.where, texts.notes],
      formats.map(
        (format) =>
          html`<tr data-filter>
            <th scope="row"><code>${format}</code></th>
            <td><code>${MEDIA_TYPES[format]}</code></td>
            <td>${where(format)}</td>
            <td>${prose(texts.note[format])}</td>
          </tr>`,
      ),
    )}
  </section>`;
}
