/** Slugs of items and tags: `[a-z0-9]+(-[a-z0-9]+)*`, at most 120 characters. */
export const SLUG_MAX = 120;

export function slugify(text: string): string {
  const folded = isPlain(text) ? text.toLowerCase() : foldLetters(text);
  return cut(folded.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, ""), SLUG_MAX);
}

export function withSuffix(slug: string, suffix: string): string {
  return `${cut(slug, SLUG_MAX - suffix.length - 1)}-${suffix}`;
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7E]*$/.test(text);
}

function foldLetters(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll("œ", "oe")
    .replaceAll("æ", "ae")
    .replaceAll("ß", "ss")
    .replaceAll("ø", "o")
    .replaceAll("đ", "d")
    .replaceAll("ł", "l");
}

function cut(slug: string, most: number): string {
  if (slug.length <= most) return slug;
  const hyphen = slug.lastIndexOf("-", most);
  return slug.slice(0, hyphen >= most / 2 ? hyphen : most).replace(/-$/, "");
}
