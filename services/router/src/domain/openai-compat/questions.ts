/** Parsed questions of both compatible APIs: three kinds, independent of the wire format. */
import type { ConfidenceFormula } from "@triptych/contracts";
import type { OptionParameter } from "../engine.ts";
import type { ThresholdInput } from "../decision-requests.ts";

export interface YesNoQuestion {
  readonly kind: "yes_no";
  readonly name: string | null;
  readonly instructions: string;
  /** Descriptions of yes and no; empty when not sent. */
  readonly whenTrue: string;
  readonly whenFalse: string;
}

export interface Choice {
  readonly value: string | boolean;
  readonly description: string;
  /** Parameters, if the description is a tool definition. */
  readonly parameters: readonly OptionParameter[];
}

export interface ChoiceQuestion {
  readonly kind: "choice";
  readonly name: string | null;
  readonly choices: readonly Choice[];
}

export interface LevelsQuestion {
  readonly kind: "levels";
  readonly name: string | null;
  /** `original` is the description as sent, which the TypeSafe format returns. */
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
  readonly warnings: readonly string[];
}
