/** Saves all matches as a file. Uses fetch instead of a link, because the key is sent in a header. */

/** @typedef {"csv" | "geojson" | "ndjson"} ExportFormat */

/**
 * @param {import("./api.js").Api} api
 * @param {URLSearchParams} filters
 * @param {ExportFormat} format
 * @param {AbortSignal} signal
 * @returns {Promise<number>} items in the file
 */
export async function saveExport(api, filters, format, signal) {
  const { text, mediaType } = await api.download(filters, format, signal);
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `annuaire.${format}`;
  link.click();
  URL.revokeObjectURL(address);
  return countItems(format, text);
}

/** @returns {number} */
export function countItems(/** @type {ExportFormat} */ format, /** @type {string} */ text) {
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
