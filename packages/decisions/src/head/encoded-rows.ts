/** Encodes examples and background texts for the models of a head: as vectors of the trunk and as lexical features. */
import type { BackgroundText } from "../background/background.ts";
import { normaliseText } from "../text/readable.ts";
import type { Encoding, HeadTrunk } from "../trunk/trunk.ts";
import { classMeans } from "./class-means.ts";
import type { PreparedExample } from "./examples.ts";
import { logitsOfRows } from "./fit-dense.ts";
import type { LexicalFeatures, Lexicon } from "./lexical.ts";
import { nearestBackground } from "./out-of-scope.ts";

export interface EncodedExample extends PreparedExample {
  readonly encoding: Encoding;
}

export interface EncodedRows {
  readonly vectors: Float32Array;
  readonly tokens: readonly (readonly string[])[];
  readonly features: readonly LexicalFeatures[];
  /** Index of the route, or -1 for out of scope: such rows are only evaluated, never trained on. */
  readonly labels: Int32Array;
  readonly dims: number;
  readonly classes: number;
}

export function encodeAll(trunk: HeadTrunk, examples: readonly PreparedExample[]): EncodedExample[] {
  return examples.map((example) => ({ ...example, encoding: trunk.encode(example.text, example.context) }));
}

interface RowsShape {
  readonly dims: number;
  readonly classes: number;
}

export function rowsOf(
  examples: readonly EncodedExample[],
  { dims, classes, lexicon }: RowsShape & { readonly lexicon: Lexicon },
): EncodedRows {
  const tokens = examples.map(({ encoding }) => encoding.tokens);
  return {
    vectors: vectorsOf(examples, dims),
    tokens,
    features: tokens.map(lexicon.featuresOf),
    labels: Int32Array.from(examples, ({ route }) => route),
    dims,
    classes,
  };
}

interface BackgroundInput extends RowsShape {
  /** The examples of the owner and the added ones. */
  readonly examples: readonly EncodedExample[];
  /** Number of examples in the calibration that have a route. */
  readonly inside: number;
  readonly outOfScopeShare: number;
}

/**
 * The background texts that a head is calibrated on: the nearest to its routes. Texts that the owner also has are left
 * out.
 */
export function encodeBackground(
  trunk: HeadTrunk,
  background: readonly BackgroundText[],
  { examples, inside, outOfScopeShare, dims, classes }: BackgroundInput,
): readonly EncodedExample[] {
  const own = new Set(examples.map(({ text }) => normaliseText(text)));
  const { texts, vectors } = backgroundOf(trunk, background);
  const others = [...texts.keys()].filter((index) => !own.has(texts[index].group));
  const labelled = examples.filter(({ route }) => route >= 0);
  const labels = Int32Array.from(labelled, ({ route }) => route);
  const means = classMeans({ vectors: vectorsOf(labelled, dims), labels, dims, classes });
  const layer = { weights: means, bias: new Float32Array(classes) };
  const cosines = logitsOfRows(layer, { vectors, dims, classes }, others);
  const nearest = others.map((_, row) => largestOf(cosines, row * classes, classes));
  return nearestBackground(nearest, { inside, routes: classes, share: outOfScopeShare }).map(
    (index) => texts[others[index]],
  );
}

interface EncodedBackground {
  readonly source: readonly BackgroundText[];
  readonly texts: readonly EncodedExample[];
  readonly vectors: Float32Array;
}

/** All heads of a trunk share these texts, and encoding them takes a tenth of a training. */
const backgrounds = new WeakMap<HeadTrunk, EncodedBackground>();

function backgroundOf(trunk: HeadTrunk, source: readonly BackgroundText[]): EncodedBackground {
  const known = backgrounds.get(trunk);
  if (known?.source === source) return known;
  const texts = encodeAll(
    trunk,
    source.map(({ text, lang }) => ({ text, context: "", route: -1, group: normaliseText(text), lang })),
  );
  const encoded = { source, texts, vectors: vectorsOf(texts, trunk.dims) };
  backgrounds.set(trunk, encoded);
  return encoded;
}

/** The largest of `count` values from index `from`, without a copy. */
export function largestOf(values: Float64Array, from: number, count: number): number {
  let largest = -Infinity;
  for (let at = from; at < from + count; at++) largest = Math.max(largest, values[at]);
  return largest;
}

function vectorsOf(examples: readonly EncodedExample[], dims: number): Float32Array {
  const vectors = new Float32Array(examples.length * dims);
  for (const [row, { encoding }] of examples.entries()) vectors.set(encoding.vector, row * dims);
  return vectors;
}
