/** Trains noul and score from rows that say what is right, and packs them; a domain is a head of its own with the floor above which it is said. */
import type { Json } from "../artifact/canonical-json.ts";
import { thresholdFor } from "../calibration/risk.ts";
import type { HeadExample } from "../head/examples.ts";
import { loadHead } from "../head/load-head.ts";
import { trainHead } from "../head/train-head.ts";
import type { Trunk } from "../trunk/trunk.ts";
import { log } from "../math/exp-log.ts";
import { fitOrdinal, type Ordinal } from "./fit-ordinal.ts";
import type { Linear } from "./linear.ts";
import { NOUL_SIGNALS, noulSignals, RISING_NOUL_SIGNALS, type NoulPart, type SignalInput } from "./noul-features.ts";
import type { NoulLinears } from "./load-noul.ts";
import { LEVELS, type ScoreInput } from "./load-score.ts";
import { SCORE_SIGNALS, scoreSignals } from "./score-features.ts";
import { linearBody, linearHeader, writeSignals } from "./features-file.ts";

type Card = { readonly [name: string]: Json };

export interface NoulRow extends SignalInput {
  readonly escalate: boolean;
  readonly count?: number;
}

export interface ScoreRow extends ScoreInput {
  /** 1 to 4. */
  readonly complexity: number;
  readonly count?: number;
}

/** What holds the weights on the trunk and on the signals near zero. */
export interface Ridge {
  readonly trunk: number;
  readonly signals: number;
}

export const NOUL_RIDGE: Ridge = { trunk: 3, signals: 1 };
export const SCORE_RIDGE: Ridge = { trunk: 5, signals: 1 };
/**
 * Between 0.25 and 0.7 every threshold trades at one price: three right answers held back for each wrong one that is not given. This one
 * is near the best F1 of rows that the model had not seen (notes/decisions-lab.md).
 */
export const NOUL_THRESHOLD = 0.35;
/** A domain that is said is right in 93 of 100 even where the intent is new; of known intents in 99. */
const DOMAIN_ERROR = 0.07;
/** On intents that it was not taught only the surest are as good as that: its row of tests has to begin among them. */
const DOMAIN_FIRST_SHARE = 1 / 20;
/**
 * For the shipped domains: they are to be known by intents that they were not taught by, so their weights are held nearer zero than those of
 * routes.
 */
export const DOMAIN_DECAY = 3e-4;

export function fitNoul(trunk: Trunk, rows: readonly NoulRow[], ridge: Ridge = NOUL_RIDGE): NoulLinears {
  const seen = rows.map((row) => ({ row, ...noulSignals(row) }));
  return { request: partOf("request"), question: partOf("question") };

  function partOf(part: NoulPart): Linear {
    const own = seen.filter((item) => item.part === part);
    if (own.length === 0) return constantOf(trunk.dims, part, rows);
    const ordinal = fitOn(
      own.map(({ row }) => row),
      own.map(({ values }) => values),
      {
        trunk,
        ridge,
        targets: own.map(({ row }) => (row.escalate ? 1 : 0)),
        levels: 2,
        rising: RISING_NOUL_SIGNALS[part],
      },
    );
    return { ...linearFrom(ordinal, trunk.dims), bias: -ordinal.thresholds[0] };
  }
}

/** Where no row shows what tells a part, it is escalated as often as everything else is. */
function constantOf(dims: number, part: NoulPart, rows: readonly NoulRow[]): Linear {
  const yes = 1 + rows.filter(({ escalate }) => escalate).length;
  const weights = NOUL_SIGNALS[part].map(() => 0);
  return { direction: new Float64Array(dims), weights, bias: log(yes / (rows.length + 2 - yes)) };
}

export function writeNoul(trunk: Trunk, { request, question }: NoulLinears, card: Card): Uint8Array {
  const header = {
    request: linearHeader(request, NOUL_SIGNALS.request),
    question: linearHeader(question, NOUL_SIGNALS.question),
    threshold: NOUL_THRESHOLD,
    card,
  };
  return writeSignals("noul", trunk.sha256, header, linearBody(request, question));
}

export interface FittedScore {
  readonly linear: Linear;
  readonly thresholds: readonly number[];
}

export function fitScore(trunk: Trunk, rows: readonly ScoreRow[], ridge: Ridge = SCORE_RIDGE): FittedScore {
  const signals = rows.map(({ state, encoding }) => scoreSignals(state, encoding));
  const ordinal = fitOn(rows, signals, {
    trunk,
    ridge,
    targets: rows.map(({ complexity }) => complexity - 1),
    levels: LEVELS,
    rising: [],
  });
  return { linear: linearFrom(ordinal, trunk.dims), thresholds: ordinal.thresholds };
}

export function writeScore(trunk: Trunk, { linear, thresholds }: FittedScore, card: Card): Uint8Array {
  const header = { ...linearHeader(linear, SCORE_SIGNALS), thresholds, card };
  return writeSignals("score", trunk.sha256, header, linearBody(linear));
}

/** The domain of an example is its `route`; null is none of them. */
export function trainDomain(
  trunk: Trunk,
  examples: readonly HeadExample[],
  decay?: number,
): { readonly bytes: Uint8Array; readonly report: Card } {
  const domains = [...new Set(examples.flatMap(({ route }) => route ?? []))].map((route) => ({ route }));
  const { bytes, report } = trainHead(trunk, {
    name: "domain",
    routes: domains,
    examples,
    plus: false,
    decay,
  });
  const curve = loadHead(bytes, trunk).calibration.risk;
  // Above 1 nothing is ever said: so few rows prove nothing.
  const floor = thresholdFor(curve, DOMAIN_ERROR, DOMAIN_FIRST_SHARE) ?? 2;
  return { bytes: writeSignals("domain", trunk.sha256, { floor }, bytes), report: { ...report, floor } };
}

interface FitOn {
  readonly trunk: Trunk;
  readonly ridge: Ridge;
  readonly targets: readonly number[];
  readonly levels: number;
  readonly rising: readonly number[];
}

function fitOn(
  rows: readonly { readonly encoding: SignalInput["encoding"]; readonly count?: number }[],
  signals: readonly Float64Array[],
  { trunk, ridge, targets, levels, rising }: FitOn,
): Ordinal {
  const named = signals[0].length;
  const width = trunk.dims + named;
  const features = new Float64Array(rows.length * width);
  for (const [row, { encoding }] of rows.entries()) {
    features.set(encoding.vector, row * width);
    features.set(signals[row], row * width + trunk.dims);
  }
  return fitOrdinal({
    features,
    width,
    targets,
    levels,
    ridge: Array.from({ length: width }, (_, column) => (column < trunk.dims ? ridge.trunk : ridge.signals)),
    counts: rows.map(({ count }) => count ?? 1),
    rising: rising.map((signal) => trunk.dims + signal),
  });
}

/** Weights on the trunk as they are in the file: single precision. */
function linearFrom({ weights }: Ordinal, dims: number): Linear {
  return {
    direction: Float64Array.from(weights.subarray(0, dims), Math.fround),
    weights: [...weights.subarray(dims)],
    bias: 0,
  };
}
