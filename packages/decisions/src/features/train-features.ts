/** Trains noul and score from labelled rows, and packs them. The domain model is a head with a minimum confidence. */
import type { Json } from "../artifact/header-values.ts";
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
  readonly complexity: number;
  readonly count?: number;
}

export interface Ridge {
  readonly trunk: number;
  readonly signals: number;
}

export const NOUL_RIDGE: Ridge = { trunk: 3, signals: 1 };
export const SCORE_RIDGE: Ridge = { trunk: 5, signals: 1 };
/**
 * Between 0.25 and 0.7 every threshold has the same trade-off: three correct decisions withheld per error avoided.
 * This one is near the best F1 on unseen rows.
 */
export const NOUL_THRESHOLD = 0.35;
/** A returned domain is correct in 93 % of new intents, and in 99 % of known ones. */
const DOMAIN_ERROR = 0.07;
/** On unseen intents, only the most confident rows reach that rate, so the test sequence must begin among them. */
const DOMAIN_FIRST_SHARE = 1 / 20;
/** Shipped domains must generalize to unseen intents, so their weights are regularized more than those of routes. */
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

/** For a part without rows: it is escalated at the overall rate. */
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

/** The domain of an example is its `route`; null means none. */
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
    outOfScopeShare: 0,
  });
  const curve = loadHead(bytes, trunk).calibration.risk;
  // A floor above 1 means that no domain is ever returned, because too few rows prove nothing.
  const floor = thresholdFor(curve, DOMAIN_ERROR, { firstShare: DOMAIN_FIRST_SHARE }) ?? 2;
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

function linearFrom({ weights }: Ordinal, dims: number): Linear {
  return {
    direction: Float64Array.from(weights.subarray(0, dims), Math.fround),
    weights: [...weights.subarray(dims)],
    bias: 0,
  };
}
