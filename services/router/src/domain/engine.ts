/**
 * The decision engine's interface for the router. It is pure and deterministic: equal texts give equal doubles.
 * `packages/decisions` implements it.
 */
import type { EvidenceKind, RouteKind } from "@triptych/contracts";

export interface Encoding {
  readonly vector: Float64Array;
  readonly length: number;
  readonly tokens: readonly string[];
  readonly contextTokens: readonly string[];
  /** Number of tokens in state and context, including truncated ones. */
  readonly count: number;
  readonly truncated: boolean;
  /** Input for heads on a sentence encoder; present if one of them is active. */
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

export interface ExplainedPair {
  readonly choice: number;
  readonly versus: number | null;
  readonly most: number;
}

/** [threshold, rows at or above it, errors among them], by descending threshold. */
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
  /** Hex SHA-256 of the head's base model. */
  readonly trunk: string;
  /** In UTF-16 code unit order of the names. */
  readonly routes: readonly { readonly route: string; readonly kind: RouteKind; readonly description: string }[];
  readonly calibration: { readonly alpha: number; readonly qhat: number; readonly risk: RiskCurve };
  readonly via: "dense" | "plus" | "onnx";
  /** `among`: ascending indexes of the allowed routes; defaults to all. */
  decide(encoding: Encoding, among?: readonly number[]): HeadDecision;
  explain(encoding: Encoding, pair: ExplainedPair): Explained;
}

export interface OptionParameter {
  readonly text: string;
  /** Null if unknown. */
  readonly required: boolean | null;
  readonly type: string;
  readonly values: readonly string[];
}

export interface OptionEntry {
  readonly label: string;
  readonly description: string;
  readonly parameters: readonly OptionParameter[];
  readonly examples: readonly string[];
}

export interface OptionsDecision {
  /** In the order of the vocabulary's labels. */
  readonly probabilities: Float64Array;
  readonly choice: number;
  readonly margin: number;
  readonly confidence: number;
  /** P(one of the options fits). */
  readonly fits: number;
  readonly outOfScope: boolean;
  /** Whether the chosen option is an action: it has parameters, or a verb. */
  readonly acts: boolean;
  readonly risk: RiskCurve;
}

/** Options in UTF-16 code unit order of their labels, encoded once. */
export interface OptionsScorer<Vocabulary extends { readonly labels: readonly string[] }> {
  vocabulary(options: readonly OptionEntry[]): Vocabulary;
  decide(encoding: Encoding, vocabulary: Vocabulary): OptionsDecision;
  explain(encoding: Encoding, vocabulary: Vocabulary, pair: ExplainedPair): Explained;
}

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
  readonly probabilities: Float64Array;
  readonly complexity: number;
  readonly expected: number;
  readonly confidence: number;
  /** The neighboring level that the explanation compares with. */
  readonly versus: number;
}

/** Commands that a text negates, quotes or injects, and the text without them. */
export interface CommandReading {
  readonly parts: readonly {
    readonly kind: "negated" | "quoted" | "injected";
    readonly from: number;
    readonly until: number;
  }[];
  readonly rest: string;
}

export interface TextToJudge {
  readonly state: string;
  readonly context: string;
}

export interface Engine {
  readonly trunk: string;
  encode(state: string, context?: string): Encoding;
  /** Encodes the text for all heads that may decide, because one of them may need the slower sentence encoder. */
  encodeFor(text: TextToJudge, headsInPlay: () => readonly { readonly head: RouteHead }[]): Promise<Encoding>;
  /** False if more than half of the words have no vector. */
  canRead(encoding: Encoding): boolean;
  /** Depends on `route`, because a negated command does not contradict a route that ends something. */
  readCommands(state: string, route: string): CommandReading;
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
  /** Returns the lowest confidence that keeps the error rate below `maxError`, or null. */
  thresholdFor(curve: RiskCurve, maxError: number): number | null;
  /** The engine's natural logarithm, equal on every platform. */
  log(x: number): number;
}
