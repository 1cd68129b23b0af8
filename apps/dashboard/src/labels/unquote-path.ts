/** Unquotes file names in git's output: names with control characters or quotes are quoted with C escapes. */

/** A name for display. Escapes of control characters stay, so that the whole name is visible in one line. */
export function unquotePath(name: string): string {
  const quoted = /^"(.*)"$/s.exec(name)?.[1];
  if (quoted === undefined) return name;
  const bytes: number[] = [];
  // An octal escape above 0177 is one byte of UTF-8, so the name is decoded as a whole.
  for (const [part, octal, sign] of quoted.matchAll(/\\([23][0-7]{2})|\\(["\\])|\\?[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(sign ?? part));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
