/**
 * The initial rows. They are random, and scaled down for common features by a/(a + p), where p is the share of all
 * words (smooth inverse frequency: Arora et al. 2017). Otherwise training would first have to learn that common words
 * do not distinguish sentences.
 */
import type { Corpus } from "./corpus.ts";

interface Beginning {
  readonly dims: number;
  readonly initial: number;
  readonly common: number;
}

export function startingRows(corpus: Corpus, { dims, initial, common }: Beginning, random: () => number): Float32Array {
  const rows = Float32Array.from({ length: corpus.plan.rows * dims }, () => (random() - 0.5) * 2 * initial);
  for (const [row, count] of usesOfRows(corpus).entries()) {
    const factor = common / (common + count / corpus.words.length);
    for (let d = 0; d < dims; d++) rows[row * dims + d] *= factor;
  }
  return rows;
}

function usesOfRows({ plan, words, wordRow, pieceStart, pieces, pairs }: Corpus): Float64Array {
  const uses = new Float64Array(plan.rows);
  for (const [at, word] of words.entries()) {
    if (wordRow[word] >= 0) uses[wordRow[word]]++;
    for (let index = pieceStart[word]; index < pieceStart[word + 1]; index++) uses[pieces[index]]++;
    if (pairs[at] >= 0) uses[pairs[at]]++;
  }
  return uses;
}
