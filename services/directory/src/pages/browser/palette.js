/** The colours of the style sheet, for the canvas. Read again when the reader turns from light to dark. */

/** @returns {import("./draw.js").Palette} */
export function readPalette() {
  const root = getComputedStyle(document.documentElement);
  // A token says both colours; what an element that wears it looks like is the one of now.
  const wearer = document.createElement("span");
  wearer.hidden = true;
  document.body.append(wearer);
  const worn = getComputedStyle(wearer);
  const read = (/** @type {string} */ name) => {
    wearer.style.color = `var(${name})`;
    return worn.color;
  };
  const palette = {
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
    sans: root.getPropertyValue("--sans").trim(),
  };
  wearer.remove();
  return palette;
}
