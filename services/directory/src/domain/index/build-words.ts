/**
 * Collects the words of items: "item -> words with weights", the vocabulary, in how many items each word is, and the
 * words of titles and communes in order.
 */
import { STOP_WORDS, termOf } from "../analyse.ts";
import { collectPostings } from "./build-postings.ts";
import { COMMUNE_FOLLOWS, termSections } from "./build-term-sections.ts";
import { countNames } from "./count-names.ts";
import { growingUint32 } from "./growable-array.ts";
import type { WeightedText } from "./impact-scores.ts";
import { createWordReader } from "./read-words.ts";
import type { Section } from "./snapshot.ts";

export interface TermCollector {
  add(texts: readonly WeightedText[]): void;
  /** `order[id]` is the insertion index of that item. Consume a section before requesting the next. */
  sections(order: Uint32Array, stretch?: number): Generator<Section>;
  /** Releases all memory, even while the collector is referenced. */
  clear(): void;
}

export function collectTerms(): TermCollector {
  const terms = countNames();
  const surfaces = countNames();
  const wordsOf = createWordReader(surfaces);
  const termOfSurface: number[] = [];
  const isStopWord: boolean[] = [];
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
        for (const surface of wordsOf(text)) {
          const isStop = (isStopWord[surface] ??= STOP_WORDS.has(surfaces.nameAt(surface)));
          if (!keepsStopWords && isStop) continue;
          const term = (termOfSurface[surface] ??= terms.numberOf(termOf(surfaces.nameAt(surface))));
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
