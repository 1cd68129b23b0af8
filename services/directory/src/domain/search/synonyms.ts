/** Equivalent words and phrases: a query with one of a group also finds the others. */
import { hash } from "node:crypto";
import { editDistance } from "@triptych/util";
import { analyse, type Token } from "../analyse.ts";

export interface Synonyms {
  /** Differs for other groups: part of the ETag of a response. */
  readonly revision: string;
  readonly groups: readonly (readonly string[])[];
  /** The longest phrase of a group at this position of a query's terms, and its equivalents as terms. */
  find(terms: readonly string[], at: number): SynonymMatch | null;
  /** Single words of the groups that are one edit away: `bookstore` for `bookstroe`, if no item has either. */
  near(surface: string): string[];
  toJSON(): string;
}

export interface SynonymMatch {
  readonly length: number;
  readonly equivalents: readonly (readonly string[])[];
}

export function createSynonyms(groups: readonly (readonly string[])[]): Synonyms {
  const equivalents = new Map<string, Map<string, readonly string[]>>();
  const words = new Set<string>();
  let longest = 0;
  for (const group of groups) {
    const phrases = new Map<string, readonly string[]>();
    for (const phrase of group) {
      const tokens = analyse(phrase);
      if (tokens.length === 1) words.add(tokens[0].surface);
      const terms = termsOf(tokens);
      phrases.set(keyOf(terms), terms);
    }
    for (const [key, terms] of phrases) {
      longest = Math.max(longest, terms.length);
      const known = equivalents.get(key) ?? new Map<string, readonly string[]>();
      equivalents.set(key, known);
      for (const [other, otherTerms] of phrases) if (other !== key) known.set(other, otherTerms);
    }
  }
  const revision = hash("sha256", JSON.stringify(groups), "hex").slice(0, 12);
  return {
    revision,
    groups,
    find(terms, at) {
      for (let length = Math.min(longest, terms.length - at); length > 0; length--) {
        const found = equivalents.get(keyOf(terms.slice(at, at + length)));
        if (found !== undefined) return { length, equivalents: [...found.values()] };
      }
      return null;
    },
    near: (surface) =>
      [...words].filter((word) => Math.abs(word.length - surface.length) <= 1 && editDistance(word, surface) === 1),
    toJSON: () => revision,
  };
}

/** Terms of a phrase without stop words, as queries have them. */
function termsOf(tokens: readonly Token[]): string[] {
  const content = tokens.filter((token) => !token.stop);
  return (content.length > 0 ? content : tokens).map(({ term }) => term);
}

function keyOf(terms: readonly string[]): string {
  return terms.join(" ");
}
