/** What a head must beat: a linear classifier over words, pairs and letters, without any trunk. */
import { choicesOf } from "../src/evaluate/metrics.ts";
import { fitPlus } from "../src/head/fit-plus.ts";
import type { LexicalFeatures } from "../src/head/lexical.ts";
import { hashOfPair, hashOfPiece, hashOfWord, piecesOf } from "../src/text/rows.ts";
import { tokenise } from "../src/text/tokenise.ts";

const BUCKETS = 2 ** 20;

interface Labelled {
  readonly text: string;
  readonly label: string;
}

/** Accuracy of logistic regression over words 1-2 and characters 3-5, unlimited in size. */
export function lettersBaseline(train: readonly Labelled[], valid: readonly Labelled[]): number {
  const labels = [...new Set(train.map(({ label }) => label))].toSorted();
  const placeOf = new Map(labels.map((label, place) => [label, place]));
  const classes = labels.length;
  const few = train.length < 20 * classes;
  const { ids, weights } = fitPlus(
    {
      features: train.map(featuresOf),
      labels: Int32Array.from(train, ({ label }) => placeOf.get(label) ?? 0),
      classes,
    },
    { epochs: few ? 20 : 6, rate: 3, l1: 0, l2: 0, least: few ? 1 : 2, seed: 1 },
  );
  const rowOf = new Map([...ids].map((id, place) => [id, place]));
  const scores = new Float64Array(valid.length * classes);
  for (const [place, text] of valid.entries())
    for (const id of featuresOf(text).ids) {
      const base = (rowOf.get(id) ?? -1) * classes;
      if (base >= 0) for (let c = 0; c < classes; c++) scores[place * classes + c] += weights[base + c];
    }
  const truth = Int32Array.from(valid, ({ label }) => placeOf.get(label) ?? -1);
  const choices = choicesOf({ probabilities: scores, classes, labels: truth });
  return choices.reduce((sum, choice, place) => sum + (choice === truth[place] ? 1 : 0), 0) / valid.length;
}

/** Presence, not tf-idf: it is the stronger of the two on validation texts. */
function featuresOf({ text }: Labelled): LexicalFeatures {
  const found = new Set<number>();
  let left: string | undefined;
  for (const token of tokenise(text).tokens) {
    found.add(hashOfWord(token) % BUCKETS);
    if (left !== undefined) found.add(hashOfPair(left, token) % BUCKETS);
    for (const piece of piecesOf(token)) found.add(hashOfPiece(piece) % BUCKETS);
    left = token;
  }
  const ids = Uint32Array.from(found).sort();
  return { ids, value: ids.length === 0 ? 0 : 1 / Math.sqrt(ids.length) };
}
