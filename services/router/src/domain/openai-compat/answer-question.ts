/**
 * Answers one question about an encoded text. In order of precedence, the answer comes from the pinned expert (if it
 * has all labels), an owner's head with exactly these labels, the escalation or complexity model (by question name), or
 * the options scorer.
 */
import type { Basis, Reason } from "@triptych/contracts";
import { chooseRoute, factsOf, judgeComplexity, judgeEscalation, type Assessor } from "../assess.ts";
import { abstains } from "../answers.ts";
import { verdictOn } from "../decision-table.ts";
import { joined } from "../conversation.ts";
import type { Encoding, OptionEntry } from "../engine.ts";
import type { Expert } from "../experts.ts";
import { chooseByConfidence } from "../gate.ts";
import type { ThresholdInput, Judged, Options } from "../decision-requests.ts";
import { chooseByOptions, type Explanation, type RouteChoice } from "../route-choice.ts";
import { withholdCommands } from "../withheld-commands.ts";
import type { ChoiceQuestion, LevelsQuestion, Question, YesNoQuestion } from "./questions.ts";

export interface Answer {
  /** In question order: [yes, no], choices, levels. */
  readonly probabilities: readonly number[];
  readonly likeliest: number;
  /** Calibrated probability that the most likely answer is right. */
  readonly correct: number;
  readonly abstain: boolean;
  readonly reason: Reason;
  readonly basis: Basis;
  /** Indexes in the conformal set; null if there is none. */
  readonly set: readonly number[] | null;
  /** Name of the answering expert, if any. */
  readonly expert: string | null;
  explain(most: number): Explanation;
}

export interface MayAnswer {
  readonly pinned: Expert | null;
  /** Experts to consider if none is pinned. */
  readonly inPlay: readonly Expert[];
  /** Heads of the owner, for questions with exactly their labels. */
  readonly own: readonly Expert[];
}

export interface QuestionContext extends Assessor, MayAnswer {
  readonly encoding: Encoding;
  readonly judged: Judged;
  readonly floors: ThresholdInput;
  /** Called after each choice. */
  onChoice(chosen: RouteChoice): void;
}

export function answerQuestion(context: QuestionContext, question: Question): Answer {
  switch (question.kind) {
    case "yes_no":
      return isEscalation(question) ? askEscalation(context) : askYesNo(context, question);
    case "choice":
      return askChoice(context, question);
    case "levels":
      return question.name === "complexity" && question.levels.length === 4
        ? askComplexity(context)
        : askLevels(context, question);
  }
}

export function selectExperts(mayAnswer: MayAnswer, questions: readonly Question[]): readonly Expert[] {
  return questions.flatMap((question) => {
    if (question.kind === "choice") return expertOfChoice(mayAnswer, question) ?? [];
    return question.kind === "yes_no" && isEscalation(question) ? mayAnswer.inPlay : [];
  });
}

function isEscalation({ name }: YesNoQuestion): boolean {
  return name === "escalate";
}

function askEscalation(context: QuestionContext): Answer {
  const { engine, encoding, judged, inPlay } = context;
  const { chosen: gated } = chooseByConfidence(inPlay, encoding, null);
  const { pYes: p, explain } = judgeEscalation(engine, encoding, { judged, gated });
  const sure = Math.max(p, 1 - p);
  return { ...unproven(context, [p, 1 - p], sure), likeliest: p >= 1 - p ? 0 : 1, basis: "head", explain };
}

function askComplexity(context: QuestionContext): Answer {
  const { probabilities, complexity, confidence, explain } = judgeComplexity(context, context.encoding, context.judged);
  return { ...unproven(context, [...probabilities], confidence), likeliest: complexity - 1, basis: "head", explain };
}

/** If both sides are described, the question adds nothing. If only one is, the other is its complement. */
function askYesNo(context: QuestionContext, { instructions, whenTrue, whenFalse }: YesNoQuestion): Answer {
  const isYes = whenFalse === "" ? joined([instructions, whenTrue]) : whenTrue || instructions;
  const entries = [entry("true", isYes), entry("false", whenFalse)];
  const chosen = chooseByOptions(context.engine.options, context.encoding, entries);
  return answerOf(context, chosen, [chosen.labels.indexOf("true"), chosen.labels.indexOf("false")]);
}

function askLevels(context: QuestionContext, { levels }: LevelsQuestion): Answer {
  const entries = levels.map(({ label, description }, index) => {
    const named = label === String(index) ? description : [label, description].filter((text) => text !== "").join(" ");
    return entry(String(index), named);
  });
  const chosen = chooseByOptions(context.engine.options, context.encoding, entries);
  return answerOf(
    context,
    chosen,
    levels.map((_, index) => chosen.labels.indexOf(String(index))),
  );
}

function askChoice(context: QuestionContext, question: ChoiceQuestion): Answer {
  const { choices } = question;
  const labels = labelsOf(question);
  const expert = expertOfChoice(context, question);
  const names = expert === null ? distinct(choices) : labels;
  const { floors, thresholds } = context;
  const options: Options =
    expert === null
      ? {
          kind: "vocabulary",
          entries: choices.map(({ description, parameters }, index) => ({
            ...entry(names[index], description),
            parameters,
          })),
        }
      : { kind: "routes", labels };
  const experts = expert === null ? null : [expert];
  const choose = (read: Encoding) => chooseRoute(context.engine, read, { request: { options }, experts });
  const gated = withholdCommands(context.engine, choose(context.encoding), { text: context.judged, choose });
  const { chosen } = gated;
  const { action, reason } = verdictOn(
    factsOf(gated, {
      request: floors,
      readable: context.engine.canRead(context.encoding),
      escalation: null,
      thresholds,
    }),
  );
  context.onChoice(chosen);
  const indexes = names.map((name) => chosen.labels.indexOf(name));
  return { ...shaped(chosen, indexes), abstain: abstains({ action, reason }), reason };
}

/** `true` and "true" have the same name. Trailing blanks, which the scorer ignores, make the labels distinct. */
function distinct(choices: ChoiceQuestion["choices"]): string[] {
  const texts = new Set<unknown>(choices.map(({ value }) => value));
  return choices.map(({ value }) => {
    if (typeof value === "string") return value;
    let name = String(value);
    while (texts.has(name)) name += " ";
    return name;
  });
}

function labelsOf({ choices }: ChoiceQuestion): readonly string[] {
  return choices.map(({ value }) => String(value));
}

function expertOfChoice({ pinned, own }: MayAnswer, question: ChoiceQuestion): Expert | null {
  if (pinned === null && own.length === 0) return null;
  if (!question.choices.every(({ value }) => typeof value === "string")) return null;
  const labels = labelsOf(question);
  if (pinned !== null && hasAll(pinned, labels)) return pinned;
  const exact = own.filter((expert) => expert.head.routes.length === labels.length && hasAll(expert, labels));
  return exact.length === 1 ? exact[0] : null;
}

function hasAll({ head }: Expert, labels: readonly string[]): boolean {
  const routes = new Set(head.routes.map(({ route }) => route));
  return labels.every((label) => routes.has(label));
}

function entry(label: string, description: string): OptionEntry {
  return { label, description, parameters: [], examples: [] };
}

/**
 * Maps the scorer's choice to question order. Only a choice can delegate, because levels and yes/no have no route kind.
 */
function answerOf(context: QuestionContext, chosen: RouteChoice, indexes: readonly number[]): Answer {
  const facts = factsOf(
    { chosen: { ...chosen, kind: "tool" }, gateConfidence: null },
    { request: context.floors, readable: true, escalation: null, thresholds: context.thresholds },
  );
  const { action, reason } = verdictOn(facts);
  return { ...shaped(chosen, indexes), abstain: action === "delegate", reason };
}

function shaped(chosen: RouteChoice, indexes: readonly number[]): Omit<Answer, "abstain" | "reason"> {
  const { probabilities, choice, confidence, set, labels, basis, expert, explain } = chosen;
  const inSet = new Set(set?.labels);
  return {
    probabilities: indexes.map((index) => probabilities[index]),
    likeliest: indexes.indexOf(choice),
    correct: confidence,
    basis,
    set: set === null ? null : [...indexes.keys()].filter((index) => inSet.has(labels[indexes[index]])),
    expert: expert?.name ?? null,
    explain,
  };
}

/** Answers of models without a risk curve, which can never meet `max_error`. */
function unproven(
  { floors, thresholds }: QuestionContext,
  probabilities: readonly number[],
  correct: number,
): Omit<Answer, "basis" | "explain" | "likeliest"> {
  const chosen = {
    kind: "tool",
    basis: "head",
    expert: null,
    outOfScope: false,
    confidence: correct,
    risk: [],
    set: null,
  } as const;
  const facts = factsOf(
    { chosen, gateConfidence: null },
    { request: floors, readable: true, escalation: null, thresholds },
  );
  const { action, reason } = verdictOn(facts);
  return { probabilities, correct, abstain: action === "delegate", reason, set: null, expert: null };
}
