/** Questions of the two foreign wires, after reading: the same three kinds, whichever wire they came by. */
import type { ConfidenceFormula } from "@triptych/contracts";
import type { ThresholdInput } from "../decision-requests.ts";

export interface YesNoQuestion {
  readonly kind: "yes_no";
  readonly name: string | null;
  /** What is asked, as text. */
  readonly instructions: string;
  /** When the answer is yes and when it is no; empty where nothing is said. */
  readonly whenTrue: string;
  readonly whenFalse: string;
}

export interface ChoiceQuestion {
  readonly kind: "choice";
  readonly name: string | null;
  readonly choices: readonly { readonly value: string | boolean; readonly description: string }[];
}

export interface LevelsQuestion {
  readonly kind: "levels";
  readonly name: string | null;
  /** `given` is the description as it was sent: the TypeSafe wire gives it back. */
  readonly levels: readonly { readonly label: string; readonly description: string; readonly original: unknown }[];
}

export type Question = YesNoQuestion | ChoiceQuestion | LevelsQuestion;

export interface CompatRequest extends ThresholdInput {
  readonly state: string;
  readonly context: string;
  readonly questions: readonly Question[];
  readonly expert: string | null;
  readonly explain: number;
  readonly formula: ConfidenceFormula;
  /** Top-level fields that were not understood. */
  readonly warnings: readonly string[];
}
