import { stripMarks } from "./marks.js";
import { transliterate } from "./transliterate.js";

/** Converts a title to a URL slug: lower case, words joined by one dash, at most `length` characters. */
export function slug(title, { length = 80 } = {}) {
  const words = stripMarks(transliterate(title))
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  // TODO: cut between two words, not in the middle of one
  return words.join("-").slice(0, length).replace(/-$/, "");
}
