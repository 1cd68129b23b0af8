/** The colours of the style sheet, for the canvas. Read again when the reader turns from light to dark. */

/** @returns {import("./draw.js").Palette} */
export function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const read = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    sea: read("--sea"),
    land: read("--land"),
    border: read("--border"),
    line: read("--line"),
    label: read("--label"),
    ink: read("--ink"),
    accent: read("--accent"),
    onAccent: read("--on-accent"),
    chosen: read("--chosen"),
    panel: read("--panel"),
    sans: read("--sans"),
  };
}
