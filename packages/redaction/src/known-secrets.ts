/**
 * The forms of a known secret: literal, URL-encoded and base64. In the base64 of a longer text, a secret starts at one
 * of three offsets and shares its edge symbols with its neighbors. Three encodings without their edges therefore match
 * everywhere.
 */
const SHORTEST = 8;

export function encodingsOf(value: string): readonly string[] {
  if (value.length < SHORTEST) return [];
  const forms = new Set([encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  // Lines are handled separately: a multi-line key is often printed with different indentation, and forms must not span
  // lines.
  for (const line of value.split(/\r?\n/)) forms.add(line.trim());
  for (const offset of [0, 1, 2]) {
    const inner = insideBase64(value, offset);
    forms.add(inner);
    forms.add(inner.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return [...forms].filter((form) => form.length >= SHORTEST);
}

function insideBase64(value: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
  const symbols = bytes.toString("base64").replaceAll("=", "");
  const isWhole = bytes.length % 3 === 0;
  return symbols.slice(offset === 0 ? 0 : offset + 1, isWhole ? undefined : -1);
}
