/**
 * Estimates whether a stronger model or a person should take the request: a calibrated probability, and whether it
 * reaches the threshold. Pure.
 */
import { numberIn } from "../artifact/header-values.ts";
import { toExplanation, type Explanation } from "../head/explain-head.ts";
import { sigmoid } from "../math/exp-log.ts";
import type { Trunk } from "../trunk/trunk.ts";
import { HAND_OFF_RULES, type HandOffRule } from "./escalation-rules.ts";
import { linearEvidence, linearOf, type Linear } from "./linear.ts";
import { NOUL_SIGNALS, noulSignals, type NoulPart, type SignalInput } from "./noul-features.ts";
import { readLinear, readSignals } from "./features-file.ts";

export interface NoulDecision {
  readonly pYes: number;
  readonly threshold: number;
  readonly escalate: boolean;
  readonly rules: readonly HandOffRule[];
}

export interface Noul {
  readonly sha256: string;
  readonly threshold: number;
  decide(input: SignalInput): NoulDecision;
  explain(input: SignalInput, most: number): Explanation;
}

/** One model for requests, and one for questions with answer choices. */
export type NoulLinears = Readonly<Record<NoulPart, Linear>>;

const BYTES_OF_WEIGHT = 4;
const RULES: ReadonlySet<string> = new Set(HAND_OFF_RULES);

export function openNoul(bytes: Uint8Array, trunk: Trunk): Noul {
  const file = readSignals(bytes, "noul", trunk.sha256);
  const linears = readLinears(file, trunk);
  const threshold = numberIn(file.header, "threshold", { above: 0, most: 1 });
  return {
    sha256: file.sha256,
    threshold,
    decide(input) {
      const signals = noulSignals(input);
      const pYes = probabilityOf(linears, input, signals);
      return { pYes, threshold, escalate: pYes >= threshold, rules: signals.rules };
    },
    explain(input, most) {
      const { part, values } = noulSignals(input);
      const { encoding } = input;
      const found = linearEvidence(
        linears[part],
        { trunk, encoding, scale: 1 },
        { names: NOUL_SIGNALS[part], values, rules: RULES },
      );
      return toExplanation({ bias: linears[part].bias, found, most });
    },
  };
}

export function probabilityOf(linears: NoulLinears, input: SignalInput, signals = noulSignals(input)): number {
  return sigmoid(linearOf(linears[signals.part], input.encoding.vector, signals.values));
}

function readLinears({ header, body }: ReturnType<typeof readSignals>, trunk: Trunk): NoulLinears {
  const half = BYTES_OF_WEIGHT * trunk.dims;
  const read = (part: NoulPart, weights: Uint8Array) =>
    readLinear({ header: header[part], body: weights }, trunk, NOUL_SIGNALS[part]);
  return { request: read("request", body.subarray(0, half)), question: read("question", body.subarray(half)) };
}
