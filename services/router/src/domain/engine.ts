/**
 * What the router needs of a decision engine: texts encoded once, and models that answer from the encoding. Pure and deterministic:
 * the same text gives the same doubles. `packages/decisions` has these shapes.
 */
import type { EvidenceKind, RouteKind } from "@triptych/contracts";

export interface Encoding {
  readonly vector: Float64Array;
  readonly length: number;
  readonly tokens: readonly string[];
  readonly contextTokens: readonly string[];
  /** Tokens of state and context, those that were not read included. */
  readonly count: number;
  readonly truncated: boolean;
  /** What heads that stand on a sentence encoder look at; there where one of them is asked. */
  readonly sentence?: Float64Array;
}

export interface Explained {
  readonly logitDifference: number;
  readonly bias: number;
  readonly other: number;
  readonly evidence: readonly {
    readonly feature: string;
    readonly kind: EvidenceKind;
    readonly weight: number;
    readonly contribution: number;
  }[];
}

/** Places of what is explained and of what it is held against, and how much evidence is wanted. */
export interface ExplainedPair {
  readonly choice: number;
  readonly versus: number | null;
  readonly most: number;
}

/** [threshold, rows at or above it, wrong ones among them], thresholds falling. */
export type RiskCurve = readonly (readonly [threshold: number, rows: number, wrong: number])[];

export interface HeadDecision {
  /** In the order of the head's routes. */
  readonly probabilities: Float64Array;
  readonly choice: number;
  readonly confidence: number;
  readonly margin: number;
  readonly scope: number | null;
  readonly outOfScope: boolean;
  readonly set: readonly number[];
}

export interface RouteHead {
  readonly sha256: string;
  /** Hex SHA-256 of what it stands on. */
  readonly trunk: string;
  /** In the order of UTF-16 code units of their names. */
  readonly routes: readonly { readonly route: string; readonly kind: RouteKind; readonly description: string }[];
  readonly calibration: { readonly alpha: number; readonly qhat: number; readonly risk: RiskCurve };
  readonly via: "dense" | "plus" | "onnx";
  /** `among`: rising places of the routes to choose from; all of them by default. */
  decide(encoding: Encoding, among?: readonly number[]): HeadDecision;
  explain(encoding: Encoding, pair: ExplainedPair): Explained;
}

export interface OptionEntry {
  readonly label: string;
  readonly description: string;
  readonly parameters: readonly string[];
  readonly examples: readonly string[];
}

export interface OptionsDecision {
  /** In the order of the vocabulary's labels. */
  readonly probabilities: Float64Array;
  readonly choice: number;
  readonly margin: number;
  readonly confidence: number;
  /** P(one of them fits). */
  readonly fits: number;
  readonly outOfScope: boolean;
  readonly risk: RiskCurve;
}

/** A vocabulary of its own kind: options in the order of UTF-16 code units of their labels, encoded once. */
export interface OptionsScorer<Vocabulary extends { readonly labels: readonly string[] }> {
  vocabulary(options: readonly OptionEntry[]): Vocabulary;
  decide(encoding: Encoding, vocabulary: Vocabulary): OptionsDecision;
  explain(encoding: Encoding, vocabulary: Vocabulary, pair: ExplainedPair): Explained;
}

/** What the question of escalation looks at: the text, and how the default expert stood on it. */
export interface SignalInput {
  readonly state: string;
  readonly encoding: Encoding;
  readonly confidence: number;
  readonly margin: number;
  readonly scope: number | null;
}

export interface NoulDecision {
  readonly pYes: number;
  readonly threshold: number;
  readonly rules: readonly string[];
}

export interface ScoreInput {
  readonly state: string;
  readonly encoding: Encoding;
}

export interface ScoreDecision {
  /** Of the levels 1 to 4. */
  readonly probabilities: Float64Array;
  readonly complexity: number;
  readonly expected: number;
  readonly confidence: number;
  /** The neighbour that an explanation holds it against. */
  readonly versus: number;
}

export interface TextToJudge {
  readonly state: string;
  readonly context: string;
}

export interface Engine {
  /** Hex SHA-256 of the shipped trunk. */
  readonly trunk: string;
  encode(state: string, context?: string): Encoding;
  /** With all that the heads need that may be asked about the text: at once, unless one of them stands on an encoder that takes longer. */
  encodeFor(
    text: TextToJudge,
    headsInPlay: () => readonly { readonly head: RouteHead }[],
  ): Encoding | Promise<Encoding>;
  readonly options: OptionsScorer<{ readonly labels: readonly string[] }>;
  readonly noul: {
    decide(input: SignalInput): NoulDecision;
    explain(input: SignalInput, most: number): Explained;
  };
  readonly score: {
    decide(input: ScoreInput): ScoreDecision;
    explain(input: ScoreInput, most: number): Explained;
  };
  readonly domain: { decide(encoding: Encoding): { readonly domain: string | null } };
  /** Lowest confidence that keeps the error rate below a wish, or null. */
  thresholdFor(curve: RiskCurve, maxError: number): number | null;
  /** Its own natural logarithm. */
  log(x: number): number;
}
