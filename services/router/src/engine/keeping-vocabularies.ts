/**
 * Remembers vocabularies: a program asks with the same options again and again, and to read them takes longer than to decide. A kept
 * one is the one that would be read, so nothing of it shows in an answer. The oldest go where too many options, or too much text, are held.
 */
import { keepRecent, type OptionsScorer, type Vocabulary } from "@triptych/decisions";

export interface Keeping {
  /** About 4 KB each. */
  readonly options: number;
  /** Of all that is said of them: one caller's options can be as long as a request. */
  readonly characters: number;
}

const KEPT: Keeping = { options: 4096, characters: 4_000_000 };

export function keepingVocabularies(scorer: OptionsScorer, most: Keeping = KEPT): OptionsScorer {
  const kept = keepRecent<Vocabulary>(1);
  return {
    ...scorer,
    vocabulary(entries) {
      const key = JSON.stringify(entries);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const read = scorer.vocabulary(entries);
      kept.set(key, read, Math.max(entries.length / most.options, key.length / most.characters));
      return read;
    },
  };
}
