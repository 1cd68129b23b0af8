/** Colors of the tokens as MapLibre and a canvas read them: `light-dark()` resolved for the current theme. */
const TOKENS = ["sea", "land", "border", "label", "ink", "accent", "on-accent", "chosen", "panel"] as const;

export type Palette = Readonly<Record<(typeof TOKENS)[number], string>>;

export function readPalette(): Palette {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const computed = getComputedStyle(probe);
  const colors = TOKENS.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, computed.color] as const;
  });
  probe.remove();
  return Object.fromEntries(colors) as Record<(typeof TOKENS)[number], string>;
}
