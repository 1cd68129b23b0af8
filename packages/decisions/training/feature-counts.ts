/** Weighted frequencies of words, adjacent pairs and character n-grams, by hash. */
import { hashOfPair, hashOfPiece, hashOfWord, piecesOf } from "../src/text/rows.ts";
import { tokenise } from "../src/text/tokenise.ts";

export interface CountedText {
  readonly text: string;
  readonly weight: number;
}

export function featureCounts(texts: readonly CountedText[]) {
  const words = new Map<string, number>();
  const pairs = new Map<number, number>();
  for (const { text, weight } of texts) {
    let left: string | undefined;
    for (const token of tokenise(text).tokens) {
      words.set(token, (words.get(token) ?? 0) + weight);
      if (left !== undefined) add(pairs, hashOfPair(left, token), weight);
      left = token;
    }
  }
  const pieces = new Map<number, number>();
  for (const [word, count] of words) for (const piece of piecesOf(word)) add(pieces, hashOfPiece(piece), count);
  return { words: new Map([...words].map(([word, count]) => [hashOfWord(word), count])), pairs, pieces };
}

function add(counts: Map<number, number>, hash: number, weight: number): void {
  counts.set(hash, (counts.get(hash) ?? 0) + weight);
}
