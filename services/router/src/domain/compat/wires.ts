/** Answers as each of the two wires writes them, with what this product adds. Probabilities have exactly the asked keys, nothing more. */
import { canonicalEntries, MODEL, MODEL_PREFIX, type CanonicalText, type ConfidenceFormula } from "@triptych/contracts";
import { explanationBody } from "../answers.ts";
import type { Answer } from "./answer-question.ts";
import { choiceConfidence, levelConfidence } from "./confidence.ts";
import type { LevelsQuestion, Question } from "./questions.ts";

type Body = Readonly<Record<string, unknown>>;

export interface Answered {
  readonly question: Question;
  readonly answer: Answer;
}

/** How answers are told. */
export interface Telling {
  readonly formula: ConfidenceFormula;
  readonly explain: number;
  readonly log: (x: number) => number;
}

/** An answer as its wire writes it. */
export interface Told {
  readonly question: Question;
  readonly expert: string | null;
  readonly body: Body | CanonicalText;
}

export interface WireParts {
  readonly told: readonly Told[];
  readonly inputTokens: number;
  readonly warnings: readonly string[];
}

export interface AnswerWire {
  answer(answered: Answered, telling: Telling): Body;
  body(parts: WireParts): Body;
}

export type WireName = "systemone" | "decisions";

export const answerWires: Readonly<Record<WireName, AnswerWire>> = {
  systemone: { answer: systemOneAnswer, body: systemOneBody },
  decisions: { answer: decisionsAnswer, body: decisionsBody },
};

function systemOneBody({ told, inputTokens, warnings }: WireParts): Body {
  return {
    model: modelOf(told),
    answers: canonicalEntries(told.map(({ question, body }) => [question.name ?? "", body])),
    usage: { input_tokens: inputTokens, output_tokens: 0 },
    ...warned(warnings),
  };
}

function systemOneAnswer({ question, answer }: Answered, telling: Telling): Body {
  const { probabilities, likeliest } = answer;
  const extras = extrasOf(question, answer, telling.explain);
  switch (question.kind) {
    case "yes_no":
      return { type: "noul", noul: probabilities[0], ...extras };
    case "choice": {
      const labels = question.choices.map(({ value }) => String(value));
      return {
        type: "choice",
        choice: labels[likeliest],
        confidence: choiceConfidence(shownOf(answer, telling)),
        probabilities: canonicalEntries(labels.map((label, place) => [label, probabilities[place]])),
        ...extras,
      };
    }
    case "levels":
      return {
        type: "score",
        score: weightedMean(probabilities),
        confidence: levelConfidence(shownOf(answer, telling)),
        legend: canonicalEntries(question.levels.map(({ given }, place) => [String(place), given])),
        probabilities: canonicalEntries(probabilities.map((p, place) => [String(place), p])),
        ...extras,
      };
  }
}

function decisionsBody({ told, inputTokens, warnings }: WireParts): Body {
  return {
    model: modelOf(told),
    answers: told.map(({ body }) => body),
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens,
    },
    ...warned(warnings),
  };
}

function decisionsAnswer({ question, answer }: Answered, telling: Telling): Body {
  const { probabilities, likeliest } = answer;
  const { name } = question;
  const extras = extrasOf(question, answer, telling.explain);
  switch (question.kind) {
    case "yes_no":
      return { type: "predicate", name, probability: probabilities[0], ...extras };
    case "choice":
      return {
        type: "choice",
        name,
        choice: question.choices[likeliest].value,
        confidence: choiceConfidence(shownOf(answer, telling)),
        probabilities: question.choices.map(({ value }, place) => ({ value, probability: probabilities[place] })),
        ...extras,
      };
    case "levels":
      return {
        type: "score",
        name,
        score: weightedMean(probabilities),
        confidence: levelConfidence(shownOf(answer, telling)),
        probabilities: levelProbabilities(question, probabilities),
        ...extras,
      };
  }
}

function levelProbabilities({ levels }: LevelsQuestion, probabilities: readonly number[]): Body[] {
  return levels.map(({ label }, place) => ({ value: place, label, probability: probabilities[place] }));
}

function extrasOf(question: Question, { correct, abstain, reason, basis, set, ...answer }: Answer, most: number): Body {
  return {
    p_correct: correct,
    abstain,
    reason,
    basis,
    ...(set !== null &&
      question.kind === "choice" && { set: set.map((place) => String(question.choices[place].value)) }),
    ...(most > 0 && { explanation: explanationBody(answer.explain(most)) }),
  };
}

function shownOf({ probabilities, correct }: Answer, { formula, log }: Telling) {
  return { formula, probabilities, correct, log };
}

function weightedMean(probabilities: readonly number[]): number {
  return probabilities.reduce((sum, p, place) => sum + p * place, 0);
}

/** The real model: the expert, where one and the same answered everything. */
function modelOf(told: readonly Told[]): string {
  const name = told[0]?.expert ?? null;
  if (name === null || told.some(({ expert }) => expert !== name)) return MODEL;
  return MODEL_PREFIX + name;
}

function warned(warnings: readonly string[]): Body {
  return warnings.length === 0 ? {} : { warnings };
}
