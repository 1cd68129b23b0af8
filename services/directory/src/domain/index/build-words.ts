/** Collects the words of items: "item -> words with weights", the vocabulary, and in how many items each word is. */
import { fold, splitFolded, STOP_WORDS, termOf } from "../analyse.ts";
import { collectPostings } from "./build-postings.ts";
import { termSections } from "./build-term-sections.ts";
import { countNames } from "./count-names.ts";
import { growingUint32 } from "./growable-array.ts";
import type { WeightedText } from "./impact-scores.ts";
import type { Section } from "./snapshot.ts";

export interface TermCollector {
  add(texts: readonly WeightedText[]): void;
  /** `order[id]` is the insertion index of that item. Consume a section before requesting the next. */
  sections(order: Uint32Array, stretch?: number): Generator<Section>;
}

export function collectTerms(): TermCollector {
  const terms = countNames();
  const surfaces = countNames();
  const termOfSurface: number[] = [];
  const weights: number[] = [];
  const postings = collectPostings();
  const lengths = growingUint32();

  return {
    add(texts) {
      const item = postings.items;
      const present: number[] = [];
      let length = 0;
      for (const { text, weight, keepsStopWords } of texts) {
        for (const word of splitFolded(fold(text))) {
          if (!keepsStopWords && STOP_WORDS.has(word)) continue;
          const surface = surfaces.numberOf(word);
          if (surface === termOfSurface.length) termOfSurface.push(terms.numberOf(termOf(word)));
          const term = termOfSurface[surface];
          surfaces.see(surface, item);
          if (terms.see(term, item)) {
            present.push(term);
            weights[term] = 0;
          }
          weights[term] += weight;
          length += weight;
        }
      }
      lengths.push(length);
      postings.add(present, weights);
    },

    sections: (order, stretch) => termSections({ terms, surfaces, termOfSurface, postings, lengths }, order, stretch),
  };
}
