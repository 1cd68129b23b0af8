import { stripMarks } from "./marks.js";
import { transliterate } from "./transliterate.js";

/** A title as a name that every file system takes. */
export function filename(title) {
  return stripMarks(transliterate(title))
    .replace(/[\\/:*?"<>|]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
