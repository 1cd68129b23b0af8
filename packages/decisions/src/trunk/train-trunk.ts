/**
 * Trains the rows by contrast (contrast.ts) with row-wise Adagrad (Duchi et al. 2011, one squared sum per row). It uses
 * one thread, a fixed order of sums and one seed, so that the same input gives the same bytes.
 */
import { xorshift } from "../math/xorshift.ts";
import { createContrast } from "./contrast.ts";
import type { Corpus } from "./corpus.ts";
import { gatherRows, type GatheredRows } from "./sparse-gradients.ts";
import { addRows, dot } from "./row-sums.ts";
import { startingRows } from "./starting-rows.ts";

export interface PairSource {
  readonly name: string;
  readonly share: number;
  /** Fills two lists of text IDs and the class of each pair. Pairs of the same class do not count as negatives. */
  draw(random: () => number, size: number, out: Batch): void;
}

export interface Batch {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly classes: Int32Array;
}

export interface TrainOptions {
  /** A multiple of four. */
  readonly dims: number;
  readonly batch: number;
  readonly batches: number;
  /** Lower values separate negatives more strongly and use more dimensions. */
  readonly temperature: number;
  readonly rate: number;
  /** The share of words dropped from a text, so that the model does not rely on single words. */
  readonly dropout: number;
  readonly pieceWeight: number;
  readonly pairWeight: number;
  readonly seed: number;
  /** Half the range of the initial values of a rare feature. */
  readonly initial: number;
  /** A feature with this share of all words starts at half of `initial`, and a more common one even smaller. */
  readonly common: number;
  readonly onProgress?: (state: { readonly batch: number; readonly loss: number }) => void;
}

export interface TrainedRows {
  readonly rows: Float32Array;
}

/** Final share of the linearly decaying learning rate. */
const LAST_RATE = 0.02;

export function trainRows(corpus: Corpus, sources: readonly PairSource[], options: TrainOptions): TrainedRows {
  const { dims, batch: size, batches, rate } = options;
  const random = xorshift(options.seed);
  const rows = startingRows(corpus, options, random);
  const contrast = createContrast({ size, dims, temperature: options.temperature });
  const training: Training = { ...options, ...frozen(corpus), rows, vectors: contrast.vectors, random };
  const texts = createTexts(training);
  const gradients = createGradients(training, contrast.slopes);
  const drawn: Batch = { left: new Int32Array(size), right: new Int32Array(size), classes: new Int32Array(size) };
  const shares = sources.reduce((sum, { share }) => sum + share, 0);
  let smoothed = 0;

  for (let step = 0; step < batches; step++) {
    sourceAt(sources, random() * shares).draw(random, size, drawn);
    for (let index = 0; index < 2 * size; index++)
      texts.encode(index, index < size ? drawn.left[index] : drawn.right[index - size]);
    const loss = contrast.loss(drawn.classes);
    smoothed = step === 0 ? loss : smoothed * 0.99 + loss * 0.01;
    for (let index = 0; index < 2 * size; index++) gradients.gather(index, texts.encoded[index]);
    gradients.move(rate * (1 - step / batches) + rate * LAST_RATE);
    texts.clear();
    options.onProgress?.({ batch: step, loss: smoothed });
  }
  return { rows };
}

interface Training extends TrainOptions, ReturnType<typeof frozen> {
  readonly rows: Float32Array;
  readonly vectors: Float32Array;
  readonly random: () => number;
}

function pieceWeightOf({ pieceWeight, pieceStart }: Training, word: number): number {
  return pieceWeight / Math.sqrt(Math.max(1, pieceStart[word + 1] - pieceStart[word]));
}

interface EncodedText {
  readonly words: readonly number[];
  readonly pairs: readonly number[];
  /** The length before normalization, in single precision, because the released trunk was trained with it. */
  readonly length: number;
}

/** Encodes the texts of a batch. The vector of each word is computed once per batch. */
function createTexts(training: Training) {
  const { dims, dropout, pairWeight, rows, vectors, random } = training;
  const { wordRow, pieceStart, pieces, wordStart, words, pairs } = training;
  const folded = gatherRows(wordRow.length, dims);
  const encoded: EncodedText[] = [];

  function choose(text: number): Omit<EncodedText, "length"> {
    const chosen: number[] = [];
    const chosenPairs: number[] = [];
    const from = wordStart[text];
    const until = wordStart[text + 1];
    for (let at = from; at < until; at++) {
      if (dropout > 0 && until - from > 2 && random() < dropout) continue;
      chosen.push(words[at]);
      if (pairs[at] >= 0) chosenPairs.push(pairs[at]);
    }
    return { words: chosen, pairs: chosenPairs };
  }

  function fold(word: number): number {
    const { slot, isNew } = folded.slotOf(word);
    if (!isNew) return slot;
    const target = { values: folded.values(), base: slot * dims };
    if (wordRow[word] >= 0) addRows(target, rows, [wordRow[word]], { weight: 1, dims });
    const from = pieceStart[word];
    const until = pieceStart[word + 1];
    addRows(target, rows, pieces, { weight: pieceWeightOf(training, word), dims, from, until });
    return slot;
  }

  return {
    encoded,
    encode(index: number, text: number): void {
      const chosen = choose(text);
      const base = index * dims;
      vectors.fill(0, base, base + dims);
      const slots = chosen.words.map(fold);
      addRows({ values: vectors, base }, folded.values(), slots, { weight: 1, dims });
      addRows({ values: vectors, base }, rows, chosen.pairs, { weight: pairWeight, dims });
      const length = Math.sqrt(dot(vectors, base, vectors, base, dims)) + 1e-9;
      encoded[index] = { ...chosen, length: Math.fround(length) };
      for (let d = 0; d < dims; d++) vectors[base + d] /= length;
    },
    clear: () => folded.clear(),
  };
}

/** Collects the gradients of a batch per word and pair, then moves their rows. */
function createGradients(training: Training, slopes: Float32Array) {
  const { dims, pairWeight, rows, vectors, wordRow, pieceStart, pieces } = training;
  const squares = new Float32Array(rows.length / dims).fill(1e-8);
  const wordSlopes = gatherRows(wordRow.length, dims);
  const pairSlopes = gatherRows(rows.length / dims, dims);

  function addTo(gathered: GatheredRows, row: number, base: number): void {
    const target = gathered.slotOf(row).slot * dims;
    const values = gathered.values();
    for (let d = 0; d < dims; d++) values[target + d] += slopes[base + d];
  }

  function moveRow(row: number, slope: Float32Array, base: number, { weight, square, pace }: Step): void {
    squares[row] += square;
    const by = (pace * weight) / Math.sqrt(squares[row]);
    const origin = row * dims;
    for (let d = 0; d < dims; d++) rows[origin + d] -= by * slope[base + d];
  }

  return {
    /**
     * Backpropagates the gradient of a text to its words and pairs. Normalization removes the component along the
     * vector.
     */
    gather(index: number, { words, pairs, length }: EncodedText): void {
      const base = index * dims;
      const along = dot(slopes, base, vectors, base, dims);
      for (let d = 0; d < dims; d++) slopes[base + d] = (slopes[base + d] - along * vectors[base + d]) / length;
      for (const word of words) addTo(wordSlopes, word, base);
      for (const pair of pairs) addTo(pairSlopes, pair, base);
    },

    move(pace: number): void {
      const ofWords = wordSlopes.values();
      for (let slot = 0; slot < wordSlopes.count(); slot++) {
        const base = slot * dims;
        const square = dot(ofWords, base, ofWords, base, dims) / dims;
        if (square === 0) continue;
        const word = wordSlopes.rows[slot];
        const weight = pieceWeightOf(training, word);
        if (wordRow[word] >= 0) moveRow(wordRow[word], ofWords, base, { weight: 1, square, pace });
        for (let at = pieceStart[word]; at < pieceStart[word + 1]; at++)
          moveRow(pieces[at], ofWords, base, { weight, square: square * weight * weight, pace });
      }
      const ofPairs = pairSlopes.values();
      for (let slot = 0; slot < pairSlopes.count(); slot++) {
        const base = slot * dims;
        const square = (dot(ofPairs, base, ofPairs, base, dims) / dims) * pairWeight * pairWeight;
        moveRow(pairSlopes.rows[slot], ofPairs, base, { weight: pairWeight, square, pace });
      }
      wordSlopes.clear();
      pairSlopes.clear();
    },
  };
}

interface Step {
  readonly weight: number;
  readonly square: number;
  readonly pace: number;
}

function frozen({ wordRow, pieceStart, pieces, wordStart, words, pairs }: Corpus) {
  return {
    wordRow: Int32Array.from(wordRow),
    pieceStart: Int32Array.from(pieceStart),
    pieces: Int32Array.from(pieces),
    wordStart: Int32Array.from(wordStart),
    words: Int32Array.from(words),
    pairs: Int32Array.from(pairs),
  };
}

function sourceAt(sources: readonly PairSource[], value: number): PairSource {
  let left = value;
  for (const source of sources) {
    left -= source.share;
    if (left < 0) return source;
  }
  const last = sources.at(-1);
  if (last === undefined) throw new Error("The training set is empty.");
  return last;
}
