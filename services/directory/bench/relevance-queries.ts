/** Reads the judged queries: sections `# class`, lines `query | conditions / other conditions`. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fold, splitFolded } from "../src/domain/analyse.ts";
import type { ItemFields } from "../src/domain/catalogue.ts";
import { slugify } from "../src/domain/slug.ts";

export interface JudgedQuery {
  readonly text: string;
  readonly group: string;
  readonly half: "development" | "test";
  isRelevant(item: ItemFields): boolean;
}

type Condition = (item: ItemFields) => boolean;

/** Keys: t words of the title, c commune, g tag, d département, r région, y type. */
const CONDITIONS: Readonly<Record<string, (value: string) => Condition>> = {
  t: (value) => {
    const required = value.split("-");
    return ({ title }) => required.every((word) => wordsOf(title).has(word));
  },
  c: (value) => {
    const expected = communeKey(value);
    return ({ commune }) => commune?.nom != null && communeKeyOf(commune.nom) === expected;
  },
  g: (value) => (item) => item.tags.includes(value),
  d: (value) => (item) => item.departement?.slug === value,
  r: (value) => (item) => item.region?.slug === value,
  y: (value) => (item) => item.type === value,
};

export function readQueries(): JudgedQuery[] {
  const text = readFileSync(new URL("relevance-queries.txt", import.meta.url), "utf8");
  const queries: JudgedQuery[] = [];
  let group = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("# ")) group = line.slice(2);
    const [query, judgement] = line.split(" | ");
    if (judgement === undefined) continue;
    const alternatives = judgement.split(" / ").map(conditionsOf);
    queries.push({
      text: query,
      group,
      half: halfOf(query),
      isRelevant: (item) => alternatives.some((conditions) => conditions.every((condition) => condition(item))),
    });
  }
  return queries;
}

/** By a hash of the query, so that new queries never move old ones. */
function halfOf(query: string): JudgedQuery["half"] {
  return Number.parseInt(hash("sha256", query, "hex").slice(0, 8), 16) % 2 === 0 ? "development" : "test";
}

function conditionsOf(text: string): Condition[] {
  return text
    .trim()
    .split(" ")
    .map((pair) => {
      const [key, value] = pair.split(":");
      const condition = CONDITIONS[key]?.(value ?? "");
      if (condition === undefined || value === undefined) throw new Error(`unknown condition ${pair}`);
      return condition;
    });
}

/** Files write one commune as `L'Isle-Adam`, `ISLE ADAM`, `St Nazaire` or `Paris (5e)`. */
function communeKey(name: string): string {
  return slugify(name.replace(/\(.*\)|cedex.*$/i, ""))
    .replace(/^(le|la|les|l)-/, "")
    .replace(/\bst\b/, "saint")
    .replace(/\bste\b/, "sainte");
}

/** Every query reads every title and commune. */
const wordsOf = memoized((title) => new Set(splitFolded(fold(title))));
const communeKeyOf = memoized(communeKey);

function memoized<Value>(compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const value = known.get(text) ?? compute(text);
    known.set(text, value);
    return value;
  };
}
