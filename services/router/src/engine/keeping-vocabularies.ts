/**
 * Remembers vocabularies: a program asks with the same options again and again, and to read them takes longer than to decide. A kept
 * one is the one that would be read, so nothing of it shows in an answer. The oldest go where too many options are held.
 */
import type { OptionsScorer, Vocabulary } from "@triptych/decisions";

/** About 6 KB each. */
const OPTIONS_KEPT = 4096;

export function keepingVocabularies(scorer: OptionsScorer, most = OPTIONS_KEPT): OptionsScorer {
  const kept = new Map<string, Vocabulary>();
  let count = 0;

  return {
    ...scorer,
    vocabulary(options) {
      const key = JSON.stringify(options);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const read = scorer.vocabulary(options);
      kept.set(key, read);
      count += options.length;
      for (const [oldest, { labels }] of kept) {
        if (count <= most) break;
        kept.delete(oldest);
        count -= labels.length;
      }
      return read;
    },
  };
}
