/** Slugs of items and tags: `[a-z0-9]+(-[a-z0-9]+)*`, at most 120 characters. */
const MAX_LENGTH = 120;

/** Folds accents and ligatures and joins words with hyphens. Empty without a letter a-z or a digit. */
export function slugOf(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll("œ", "oe")
    .replaceAll("æ", "ae")
    .replaceAll("ß", "ss")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_LENGTH + 1)
    .replace(/^-/, "")
    .slice(0, MAX_LENGTH)
    .replace(/-$/, "");
}
