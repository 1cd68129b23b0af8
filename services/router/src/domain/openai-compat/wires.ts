/**
 * Response bodies of the two compatible APIs, with Triptych's extensions. Probabilities have exactly the requested
 * keys.
 */
import { canonicalEntries, MODEL, MODEL_PREFIX, type ConfidenceFormula } from "@triptych/contracts";
import { explanationBody } from "../answers.ts";
import type { Answer } from "./answer-question.ts";
import { choiceConfidence, levelConfidence } from "./confidence.ts";
import type { LevelsQuestion, Question } from "./questions.ts";

type Body = Readonly<Record<string, unknown>>;

export interface Answered {
  readonly question: Question;
  readonly answer: Answer;
}

export interface WireParts {
  readonly answered: readonly Answered[];
  readonly formula: ConfidenceFormula;
  readonly explain: number;
  readonly inputTokens: number;
  readonly log: (x: number) => number;
  readonly warnings: readonly string[];
}

export function systemOneBody(parts: WireParts): Body {
  const { answered, inputTokens } = parts;
  return {
    model: modelOf(answered),
    answers: canonicalEntries(answered.map((item) => [item.question.name ?? "", systemOneAnswer(item, parts)])),
    usage: { input_tokens: inputTokens, output_tokens: 0 },
    ...warned(parts),
  };
}

function systemOneAnswer({ question, answer }: Answered, parts: WireParts): Body {
  const { probabilities, likeliest } = answer;
  const extras = extrasOf(question, answer, parts.explain);
  switch (question.kind) {
    case "yes_no":
      return { type: "noul", noul: probabilities[0], ...extras };
    case "choice": {
      const labels = question.choices.map(({ value }) => String(value));
      return {
        type: "choice",
        choice: labels[likeliest],
        confidence: choiceConfidence(confidenceOf(answer, parts)),
        probabilities: canonicalEntries(labels.map((label, index) => [label, probabilities[index]])),
        ...extras,
      };
    }
    case "levels":
      return {
        type: "score",
        score: weightedMean(probabilities),
        confidence: levelConfidence(confidenceOf(answer, parts)),
        legend: canonicalEntries(question.levels.map(({ original }, index) => [String(index), original])),
        probabilities: canonicalEntries(probabilities.map((p, index) => [String(index), p])),
        ...extras,
      };
  }
}

export function decisionsBody(parts: WireParts): Body {
  const { answered, inputTokens } = parts;
  return {
    model: modelOf(answered),
    answers: answered.map((item) => decisionsAnswer(item, parts)),
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens,
    },
    ...warned(parts),
  };
}

function decisionsAnswer({ question, answer }: Answered, parts: WireParts): Body {
  const { probabilities, likeliest } = answer;
  const { name } = question;
  const extras = extrasOf(question, answer, parts.explain);
  switch (question.kind) {
    case "yes_no":
      return { type: "predicate", name, probability: probabilities[0], ...extras };
    case "choice":
      return {
        type: "choice",
        name,
        choice: question.choices[likeliest].value,
        confidence: choiceConfidence(confidenceOf(answer, parts)),
        probabilities: question.choices.map(({ value }, index) => ({ value, probability: probabilities[index] })),
        ...extras,
      };
    case "levels":
      return {
        type: "score",
        name,
        score: weightedMean(probabilities),
        confidence: levelConfidence(confidenceOf(answer, parts)),
        probabilities: levelProbabilities(question, probabilities),
        ...extras,
      };
  }
}

function levelProbabilities({ levels }: LevelsQuestion, probabilities: readonly number[]): Body[] {
  return levels.map(({ label }, index) => ({ value: index, label, probability: probabilities[index] }));
}

function extrasOf(question: Question, { correct, abstain, reason, basis, set, ...answer }: Answer, most: number): Body {
  return {
    p_correct: correct,
    abstain,
    reason,
    basis,
    ...(set !== null &&
      question.kind === "choice" && { set: set.map((index) => String(question.choices[index].value)) }),
    ...(most > 0 && { explanation: explanationBody(answer.explain(most)) }),
  };
}

function confidenceOf({ probabilities, correct }: Answer, { formula, log }: WireParts) {
  return { formula, probabilities, correct, log };
}

function weightedMean(probabilities: readonly number[]): number {
  return probabilities.reduce((sum, p, index) => sum + p * index, 0);
}

function modelOf(answered: readonly Answered[]): string {
  const [first] = answered;
  const name = first?.answer.expert ?? null;
  if (name === null || answered.some(({ answer }) => answer.expert !== name)) return MODEL;
  return MODEL_PREFIX + name;
}

function warned({ warnings }: WireParts): Body {
  return warnings.length === 0 ? {} : { warnings };
}
