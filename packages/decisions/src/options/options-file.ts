/** File format of the options scorer (TPOS): weights, gate and calibrators in the header, IDF in one section. */
import { ArtifactError } from "../artifact/artifact-error.ts";
import {
  type Json,
  listIn,
  logisticIn,
  memberOf,
  numberIn,
  numbersIn,
  riskIn,
  textIn,
} from "../artifact/header-values.ts";
import { readArtifact, writeArtifact } from "../artifact/container.ts";
import { CONFIDENCE_WIDTH } from "../calibration/confidence.ts";
import type { Logistic } from "../calibration/logistic.ts";
import type { RiskPoint } from "../calibration/risk.ts";
import { FREQUENCY_BYTES } from "./frequencies.ts";
import { OPTION_SIGNALS, SIGNAL_COUNT } from "./option-signals.ts";
import { BUCKET_COUNT } from "./vocabulary.ts";
import { GATE_WIDTH, type Gate, type Gates } from "./gate.ts";

export interface OptionsBucket {
  readonly temperature: number;
  readonly confidence: Logistic;
  readonly risk: readonly RiskPoint[];
}

/** The weights of the signals: for functions, and for options with only names and descriptions. */
export interface Weights {
  readonly functions: readonly number[];
  readonly plain: readonly number[];
}

export interface OptionsContent {
  readonly trunk: string;
  readonly weights: Weights;
  readonly exampleWeight: number;
  readonly gates: Gates;
  readonly buckets: readonly OptionsBucket[];
  readonly card: { readonly [name: string]: Json };
}

const FREQUENCIES = 1;

export function writeOptions(content: OptionsContent, frequencies: Uint8Array): Uint8Array {
  const header = { kind: "options", signals: OPTION_SIGNALS, ...content };
  // The cast is safe, as in the file of a head.
  return writeArtifact({
    magic: "TPOS",
    header: header as unknown as { readonly [name: string]: Json },
    sections: new Map([[FREQUENCIES, frequencies]]),
  });
}

/** Throws an ArtifactError; `trunk_mismatch` if the scorer belongs to another trunk. */
export function readOptions(
  bytes: Uint8Array,
  trunk: string,
): Omit<OptionsContent, "card"> & { readonly sha256: string; readonly frequencies: Uint8Array } {
  const { header, sections, sha256 } = readArtifact(bytes, "TPOS");
  if (textIn(header, "kind") !== "options")
    throw new ArtifactError("bad_header", "The header does not describe an options scorer.");
  const named = textIn(header, "trunk");
  if (named !== trunk)
    throw new ArtifactError(
      "trunk_mismatch",
      `The options scorer was trained on trunk ${named.slice(0, 12)}, but this engine has ${trunk.slice(0, 12)}. Train it again.`,
    );
  if (listIn(header, "signals").join() !== OPTION_SIGNALS.join())
    throw new ArtifactError("bad_header", "The options scorer was trained with other signals.");
  const frequencies = sections.get(FREQUENCIES);
  if (frequencies?.length !== FREQUENCY_BYTES)
    throw new ArtifactError("bad_length", `The frequencies must be ${FREQUENCY_BYTES} bytes.`);
  const buckets = listIn(header, "buckets").map((bucket) => ({
    temperature: numberIn(bucket, "temperature", { above: 0 }),
    confidence: logisticIn(bucket, "confidence", CONFIDENCE_WIDTH),
    risk: riskIn(bucket, "risk"),
  }));
  if (buckets.length !== BUCKET_COUNT)
    throw new ArtifactError("bad_header", `The options scorer must have ${BUCKET_COUNT} calibrators.`);
  const gates = memberOf(header, "gates");
  return {
    sha256,
    frequencies,
    trunk: named,
    weights: {
      functions: numbersIn(memberOf(header, "weights"), "functions", SIGNAL_COUNT),
      plain: numbersIn(memberOf(header, "weights"), "plain", SIGNAL_COUNT),
    },
    exampleWeight: numberIn(header, "exampleWeight", { above: 0 }),
    gates: {
      schema: gateIn(gates, "schema"),
      functions: gateIn(gates, "functions"),
      plain: gateIn(gates, "plain"),
    },
    buckets,
  };
}

function gateIn(gates: unknown, name: string): Gate {
  const gate = memberOf(gates, name);
  return { fits: logisticIn(gate, "fits", GATE_WIDTH), floor: numberIn(gate, "floor") };
}
