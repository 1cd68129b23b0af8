/**
 * The forms in which a known secret may be met: as it is, URL-encoded, and inside base64. A secret in the middle of a longer text
 * (`user:secret`) begins at one of three places of a base64 group, and its edges share symbols with its neighbours: the three
 * readings without their edges find it wherever it stands.
 */
const SHORTEST = 8;

export function encodingsOf(value: string): readonly string[] {
  if (value.length < SHORTEST) return [];
  const forms = new Set([encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  // Line by line: a key of several lines is often printed with another indentation, and no form then goes over the end of a line.
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
