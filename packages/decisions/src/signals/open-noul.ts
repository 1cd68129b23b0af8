/** Should a stronger model or a person take this? A calibrated probability, and whether it reaches the threshold. Pure. */
import { numberIn } from "../artifact/header-values.ts";
import { told, type Explanation } from "../head/explain-head.ts";
import { sigmoid } from "../numbers/exp-log.ts";
import type { Trunk } from "../trunk/trunk.ts";
import { HAND_OFF_RULES, type HandOffRule } from "./hand-off-rules.ts";
import { linearEvidence, linearOf } from "./linear.ts";
import { NOUL_SIGNALS, noulSignals, type SignalInput } from "./noul-signals.ts";
import { readLinear, readSignals } from "./signals-file.ts";

export interface NoulDecision {
  readonly pYes: number;
  readonly threshold: number;
  readonly escalate: boolean;
  /** Hand-off rules that fired. */
  readonly rules: readonly HandOffRule[];
}

export interface Noul {
  readonly sha256: string;
  readonly threshold: number;
  decide(input: SignalInput): NoulDecision;
  /** Of "yes" against "no". */
  explain(input: SignalInput, most: number): Explanation;
}

const RULES: ReadonlySet<string> = new Set(HAND_OFF_RULES);

export function openNoul(bytes: Uint8Array, trunk: Trunk): Noul {
  const file = readSignals(bytes, "noul", trunk.sha256);
  const linear = readLinear(file, trunk, NOUL_SIGNALS);
  const threshold = numberIn(file.header, "threshold", { above: 0, most: 1 });
  return {
    sha256: file.sha256,
    threshold,
    decide(input) {
      const { values, rules } = noulSignals(input);
      const pYes = sigmoid(linearOf(linear, input.encoding.vector, values));
      return { pYes, threshold, escalate: pYes >= threshold, rules };
    },
    explain(input, most) {
      const { values } = noulSignals(input);
      const { encoding } = input;
      const found = linearEvidence(
        linear,
        { trunk, encoding, scale: 1 },
        { names: NOUL_SIGNALS, values, rules: RULES },
      );
      return told({ bias: linear.bias, found, most });
    },
  };
}
