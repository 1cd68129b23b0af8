/**
 * Collects the words of items: "item -> words with weights", the vocabulary, in how many items each word is, and the
 * words of titles and communes in order.
 */
import { memoize } from "@triptych/util";
import { fold, splitFolded, STOP_WORDS, termOf } from "../analyse.ts";
import { collectPostings } from "./build-postings.ts";
import { COMMUNE_FOLLOWS, termSections } from "./build-term-sections.ts";
import { countNames } from "./count-names.ts";
import { growingUint32 } from "./growable-array.ts";
import type { WeightedText } from "./impact-scores.ts";
import type { Section } from "./snapshot.ts";

export interface TermCollector {
  add(texts: readonly WeightedText[]): void;
  /** `order[id]` is the insertion index of that item. Consume a section before requesting the next. */
  sections(order: Uint32Array, stretch?: number): Generator<Section>;
  /** Releases all memory, even while the collector is referenced. */
  clear(): void;
}

/** Names of communes, areas and tags repeat from item to item; 4 MB. */
const REMEMBERED_MAX = 16_384;

export function collectTerms(): TermCollector {
  const split = (text: string) => splitFolded(fold(text));
  const splitName = memoize(split, REMEMBERED_MAX);
  const terms = countNames();
  const surfaces = countNames();
  const termOfSurface: number[] = [];
  const weights: number[] = [];
  const postings = collectPostings();
  const lengths = growingUint32();
  const structured: number[] = [];
  const structuredSeen: number[] = [];
  const nameWords = growingUint32();
  const nameStarts = growingUint32();

  return {
    add(texts) {
      const item = postings.items;
      const present: number[] = [];
      let length = 0;
      nameStarts.push(nameWords.length);
      for (const { field, text, weight, keepsStopWords } of texts) {
        const isName = field === "title" || field === "commune";
        if (field === "commune") nameWords.push(COMMUNE_FOLLOWS);
        for (const word of field === "title" || field === "text" ? split(text) : splitName(text)) {
          const isStop = STOP_WORDS.has(word);
          if (!keepsStopWords && isStop) continue;
          const surface = surfaces.numberOf(word);
          if (surface === termOfSurface.length) termOfSurface.push(terms.numberOf(termOf(word)));
          const term = termOfSurface[surface];
          surfaces.see(surface, item);
          if (terms.see(term, item)) {
            present.push(term);
            weights[term] = 0;
            structured[term] ??= 0;
          }
          if (field !== "title" && field !== "text" && structuredSeen[term] !== item) {
            structuredSeen[term] = item;
            structured[term]++;
          }
          if (isName && !isStop) nameWords.push(surface);
          weights[term] += weight;
          length += weight;
        }
      }
      lengths.push(length);
      postings.add(present, weights);
    },

    *sections(order, stretch) {
      nameStarts.push(nameWords.length);
      const names = { words: nameWords, starts: nameStarts };
      yield* termSections({ terms, surfaces, termOfSurface, postings, lengths, structured, names }, order, stretch);
    },

    clear() {
      for (const collected of [postings, lengths, nameWords, nameStarts]) collected.clear();
    },
  };
}
