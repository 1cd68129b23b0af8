/**
 * The rows that a head is calibrated on: examples, background texts, and examples without their correct route, mixed as
 * out-of-scope.ts describes.
 */
import { topOf } from "../calibration/confidence.ts";
import { fitTemperature, searchTemperature, type TemperatureRows } from "../calibration/temperature.ts";
import type { CalibrationRows } from "./calibrate-head.ts";
import type { EncodedRows } from "./encoded-rows.ts";
import type { UnseenRows } from "./fit-model.ts";
import { evenly, mixOutside, type Mix } from "./out-of-scope.ts";
import { REFERENCE_WIDTH } from "./scope-reference.ts";

/** The weights of the two parts in the sum of their logits. */
export interface Shares {
  readonly dense: number;
  readonly plus: number;
}

export interface MixtureInput {
  readonly rows: Pick<EncodedRows, "labels" | "classes">;
  readonly unseen: UnseenRows;
  readonly foldOf: Int32Array;
  /** The first rows are examples. The rows from `backgroundFrom` on are background texts. */
  readonly examples: number;
  readonly backgroundFrom: number;
  readonly outOfScopeShare: number;
  readonly shares: Shares;
}

/** Which out-of-scope rows the calibration used, for the model card. */
export interface ScopeSources {
  readonly share: number;
  readonly examples: number;
  readonly background: number;
  readonly maskedExamples: number;
}

export function calibrationRows(input: MixtureInput): {
  readonly rows: CalibrationRows;
  readonly sources: ScopeSources;
} {
  const { rows, unseen, foldOf, backgroundFrom, outOfScopeShare: share, shares } = input;
  const { labels, classes } = rows;
  const examples = Array.from({ length: input.examples }, (_, row) => row);
  const inside = examples.filter((row) => labels[row] >= 0);
  const own = examples.length - inside.length;
  const background = labels.length - backgroundFrom;
  const mix = mixOutside({ inside: inside.length, routes: classes, own, background, share });
  const outside = Array.from({ length: background }, (_, index) => backgroundFrom + index);
  const parts = partsOf(mix, { examples, inside, outside });
  const n = parts.length;
  const logits = new Float64Array(n * classes);
  const scope = new Float64Array(n * REFERENCE_WIDTH);
  for (const [index, { row, isMasked }] of parts.entries()) {
    for (let c = 0; c < classes; c++)
      logits[index * classes + c] =
        isMasked && c === labels[row] ? -Infinity : logitOf(unseen, shares, row * classes + c);
    const features = isMasked ? unseen.maskedScope : unseen.scope;
    scope.set(features.subarray(row * REFERENCE_WIDTH, (row + 1) * REFERENCE_WIDTH), index * REFERENCE_WIDTH);
  }
  return {
    rows: {
      logits,
      classes,
      scope,
      labels: Int32Array.from(parts, ({ row, isMasked }) => (isMasked ? -1 : labels[row])),
      foldOf: Int32Array.from(parts, ({ row }) => foldOf[row]),
      weights: Float64Array.from(parts, ({ weight }) => weight),
      counted: [...parts.keys()].filter((index) => parts[index].isCounted),
    },
    sources: { share, examples: own, background, maskedExamples: mix.maskedRows },
  };
}

interface Part {
  readonly row: number;
  readonly isMasked: boolean;
  readonly weight: number;
  readonly isCounted: boolean;
}

function partsOf(
  mix: Mix,
  { examples, inside, outside }: { readonly [kind in "examples" | "inside" | "outside"]: readonly number[] },
): Part[] {
  const countedBackground = new Set(evenly(outside.length, mix.backgroundRows));
  const countedMasked = new Set(evenly(inside.length, mix.maskedRows));
  return [
    ...examples.map((row) => ({ row, isMasked: false, weight: 1, isCounted: true })),
    ...(mix.backgroundWeight > 0
      ? outside.map((row, at) => ({
          row,
          isMasked: false,
          weight: mix.backgroundWeight,
          isCounted: countedBackground.has(at),
        }))
      : []),
    ...(mix.maskedWeight > 0
      ? inside.map((row, at) => ({
          row,
          isMasked: true,
          weight: mix.maskedWeight,
          isCounted: countedMasked.has(at),
        }))
      : []),
  ];
}

function logitOf({ unseenDense, unseenPlus }: UnseenRows, { dense, plus }: Shares, at: number): number {
  return dense * unseenDense[at] + plus * unseenPlus[at];
}

/** Shares to try. The last one is the lexical part alone. */
const SHARES: readonly Shares[] = [
  ...[0, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16].map((plus) => ({ dense: 1, plus })),
  { dense: 0, plus: 1 },
];

interface SharesInput {
  /** The labels of the examples, which are the first rows. */
  readonly labels: Int32Array;
  readonly classes: number;
  readonly plus: "auto" | boolean;
  /** Whether the lexical part reads stems, as in heads with many texts. */
  readonly readsStems: boolean;
}

/**
 * If the trunk was trained on the texts of a head, the folds favor the dense part more than new texts justify. On such
 * trunks, this share of stems is better than none for new texts of all three public sets. On other trunks, the folds
 * choose a larger share anyway.
 */
const STEM_SHARE_MIN = 1;

/** The search takes time, and more rows do not change its result. */
const SEARCHED_ROWS = 1500;

/** Larger shares are skipped after the likelihood got worse this many times in a row. */
const RISES_MAX = 3;
/**
 * Relative tolerance of the temperature; the likelihoods of two shares differ by more than such a step changes them.
 */
const SEARCH_TOLERANCE = 1e-3;

/** Returns the shares that are best on unseen rows, and the temperature of the sum. */
export function bestShares(
  unseen: UnseenRows,
  { labels, classes, plus, readsStems }: SharesInput,
): { readonly shares: Shares; readonly temperature: number } {
  const inside = [...labels.keys()].filter((row) => labels[row] >= 0);
  const searched = evenly(inside.length, Math.min(SEARCHED_ROWS, inside.length)).map((index) => inside[index]);
  const candidates = SHARES.filter(({ plus: share }) =>
    plus === "auto" ? !readsStems || share >= STEM_SHARE_MIN : share > 0 === plus,
  );
  let best = { shares: candidates[0], cost: Infinity };
  let start = 1;
  let rises = 0;
  let before = Infinity;
  for (const shares of candidates) {
    if (rises >= RISES_MAX && shares.dense > 0) continue;
    const set = summed(searched, shares);
    const { temperature, nll } = searchTemperature(set, { start, tolerance: SEARCH_TOLERANCE });
    start = temperature;
    // Accuracy alone has many ties. Likelihood alone may prefer a sum that is right less often than one of the parts.
    const cost = nll - accuracyOf(set);
    if (cost < best.cost) best = { shares, cost };
    rises = nll > before ? rises + 1 : 0;
    before = nll;
  }
  const { shares } = best;
  return { shares, temperature: fitTemperature(summed(inside, shares)) };

  function summed(rows: readonly number[], shares: Shares): TemperatureRows {
    const logits = new Float64Array(rows.length * classes);
    const { unseenDense, unseenPlus } = unseen;
    for (let index = 0; index < rows.length; index++)
      for (let c = 0, at = rows[index] * classes; c < classes; c++, at++)
        logits[index * classes + c] = shares.dense * unseenDense[at] + shares.plus * unseenPlus[at];
    return { logits, labels: Int32Array.from(rows, (row) => labels[row]), classes };
  }
}

/** Share of rows whose most likely route is correct. */
function accuracyOf({ logits, labels, classes }: TemperatureRows): number {
  let right = 0;
  for (const [row, label] of labels.entries())
    if (topOf(logits.subarray(row * classes, (row + 1) * classes)).choice === label) right++;
  return right / labels.length;
}
