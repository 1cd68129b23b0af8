/** Saves all matches as a file. Uses fetch instead of a link, because the key is sent in a header. */

import type { Api } from "./api.ts";

export const EXPORT_FORMATS = ["csv", "geojson", "ndjson"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The number of items in the file. */
export async function saveExport(
  api: Api,
  filters: URLSearchParams,
  { format, signal }: { readonly format: ExportFormat; readonly signal: AbortSignal },
): Promise<number> {
  const { text, mediaType } = await api.download(filters, format, signal);
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `annuaire.${format}`;
  link.click();
  URL.revokeObjectURL(address);
  return countItems(format, text);
}

export function countItems(format: ExportFormat, text: string): number {
  if (format === "geojson") return JSON.parse(text).features.length;
  if (format === "ndjson") return text.split("\n").filter((line) => line !== "").length;
  let rows = 0;
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (character === "\n" && !quoted) rows += 1;
  }
  return Math.max(0, rows - 1);
}
