/** Examples and background texts as the models of a head read them: vectors of the trunk and lexical features. */
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
  /** Of the owner, and framed ones. */
  readonly examples: readonly EncodedExample[];
  /** Number of examples with a route in the calibration. */
  readonly inside: number;
}

/** The background texts that a head is calibrated on: the nearest to its routes. Texts of the owner are left out. */
export function encodeBackground(
  trunk: HeadTrunk,
  background: readonly BackgroundText[],
  { examples, inside, dims, classes }: BackgroundInput,
): readonly EncodedExample[] {
  const own = new Set(examples.map(({ text }) => normaliseText(text)));
  const encoded = encodeAll(
    trunk,
    background
      .filter(({ text }) => !own.has(normaliseText(text)))
      .map(({ text, lang }) => ({ text, context: "", route: -1, group: text, lang })),
  );
  const labelled = examples.filter(({ route }) => route >= 0);
  const labels = Int32Array.from(labelled, ({ route }) => route);
  const means = classMeans({ vectors: vectorsOf(labelled, dims), labels, dims, classes });
  const cosines = logitsOfRows(
    { weights: means, bias: new Float32Array(classes) },
    { vectors: vectorsOf(encoded, dims), dims, classes },
    [...encoded.keys()],
  );
  const nearest = encoded.map((_, row) => Math.max(...cosines.subarray(row * classes, (row + 1) * classes)));
  return nearestBackground(nearest, { inside, routes: classes }).map((index) => encoded[index]);
}

function vectorsOf(examples: readonly EncodedExample[], dims: number): Float32Array {
  const vectors = new Float32Array(examples.length * dims);
  for (const [row, { encoding }] of examples.entries()) vectors.set(encoding.vector, row * dims);
  return vectors;
}
