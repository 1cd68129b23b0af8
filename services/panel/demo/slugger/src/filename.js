import { stripMarks } from "./marks.js";
import { transliterate } from "./transliterate.js";

/** Converts a title to a name that is valid on every file system. */
export function filename(title) {
  return stripMarks(transliterate(title))
    .replace(/[\\/:*?"<>|]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
