/** A request that has been read: nothing in it is wrong any more, except what only the expert can know. */
import type { OptionEntry } from "./engine.ts";

export interface Judged {
  readonly state: string;
  /** What was said before; empty where nothing was. */
  readonly context: string;
  /** At most so many pieces of evidence; 0 explains nothing. */
  readonly explain: number;
}

/** Null where the request says nothing of it. */
export interface ThresholdInput {
  readonly minConf: number | null;
  readonly maxError: number | null;
}

export type Options =
  /** Routes of the expert, in the order in which they were sent. */
  | { readonly kind: "routes"; readonly labels: readonly string[] }
  /** A vocabulary of the caller's own. */
  | { readonly kind: "vocabulary"; readonly entries: readonly OptionEntry[] };

export interface DecisionRequest extends Judged, ThresholdInput {
  readonly options: Options | null;
  /** Name or id; null leaves the choice to the gate. */
  readonly expert: string | null;
}
