/** Whether a test is named after a source: `utilities.test.ts` after `utils.ts`, `parse-url.test.js` after `parse.js`. */
import { posix } from "node:path";

/** Names that do not describe a file's content. */
const VAGUE = /^(?:index|main|test|spec|mod|init|conftest|all|setup|unit|suite|helper|basic)$/;

/** `date` of `date.test.ts`, `test_date.py`, `date_test.go`, `DateTest.java` and `src/date.js`. */
export function nameOf(path: string): string {
  const stem = posix.basename(path).replace(/(?<=.)\.[^.]+$/, "");
  return stem.replaceAll(/^test[_-]|[._-](?:tests?|specs?)(?:-d)?$|(?<=[a-z])Tests?$/g, "");
}

/** Each prefix of whole words, without word endings. */
function beginningsOf(name: string): readonly string[] {
  const parts = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((part) => part !== "")
    .map((part) =>
      part.length <= 4 ? part.replace(/s$/, "") : part.replace(/(?:ities|ity|ies|ing|ers?|es|s|e)$/, ""),
    );
  return parts
    .map((_, index) => parts.slice(0, index + 1).join("-"))
    .filter((beginning) => beginning.length > 1 && !VAGUE.test(beginning));
}

export interface RelatedNames {
  has(path: string): boolean;
}

export function relatedNames(tests: Iterable<string>): RelatedNames {
  const whole = new Set<string>();
  const beginnings = new Set<string>();
  for (const path of tests) {
    const all = beginningsOf(nameOf(path));
    for (const beginning of all) beginnings.add(beginning);
    const last = all.at(-1);
    if (last !== undefined) whole.add(last);
  }
  return {
    has(path) {
      const all = beginningsOf(nameOf(path));
      return all.some((beginning) => whole.has(beginning)) || beginnings.has(all.at(-1) ?? "");
    },
  };
}
