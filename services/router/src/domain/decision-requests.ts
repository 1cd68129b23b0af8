/** A parsed decision request. Only the checks that need the experts remain. */
import type { Economy } from "./economy.ts";
import type { OptionEntry } from "./engine.ts";

export interface Judged {
  readonly state: string;
  readonly context: string;
  /** Maximum number of evidence items; 0 disables the explanation. */
  readonly explain: number;
}

/** Null if not set in the request. */
export interface ThresholdInput {
  readonly minConf: number | null;
  readonly maxError: number | null;
}

export type Options =
  /** Routes of the expert, in request order. */
  | { readonly kind: "routes"; readonly labels: readonly string[] }
  | { readonly kind: "vocabulary"; readonly entries: readonly OptionEntry[] };

export interface DecisionRequest extends Judged, ThresholdInput {
  readonly options: Options | null;
  /** Name or ID; null lets the gate choose. */
  readonly expert: string | null;
  readonly economy: Economy | null;
}
