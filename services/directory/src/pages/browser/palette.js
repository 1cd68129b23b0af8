/** The style sheet's colors for the canvas; read again when the color scheme changes. */

/** @returns {import("./renderer.js").Palette} */
export function readPalette() {
  const root = getComputedStyle(document.documentElement);
  // Custom properties contain both color schemes; an element resolves the current one.
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
