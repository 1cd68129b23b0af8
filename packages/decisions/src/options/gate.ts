/** What tells whether any of the options fits: the signals of the likeliest one, its lead, and how many there are. */
import { log } from "../numbers/exp-log.ts";
import { SIGNAL_COUNT } from "./option-signals.ts";

export const GATE_WIDTH = SIGNAL_COUNT + 3;

export interface GateView {
  /** labels x SIGNAL_COUNT. */
  readonly signals: Float64Array;
  readonly scores: Float64Array;
  readonly choice: number;
  readonly margin: number;
}

export function gateFeatures({ signals, scores, choice, margin }: GateView): Float64Array {
  const out = new Float64Array(GATE_WIDTH);
  out.set(signals.subarray(choice * SIGNAL_COUNT, (choice + 1) * SIGNAL_COUNT));
  out[SIGNAL_COUNT] = scores[choice];
  out[SIGNAL_COUNT + 1] = scores.length === 1 ? 0 : margin;
  out[SIGNAL_COUNT + 2] = log(scores.length);
  return out;
}
