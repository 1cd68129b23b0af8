/**
 * One question about a text that is encoded already. Who answers: the expert that is named, where it knows all labels; a head of the
 * owner whose labels are exactly these; the models of escalation and complexity for questions of those names; else the options scorer.
 */
import type { Basis, Reason } from "@triptych/contracts";
import { factsOf, judgeComplexity, judgeEscalation, type Assessor } from "../assess.ts";
import { abstains } from "../answers.ts";
import { verdictOn } from "../action-table.ts";
import { joined } from "../conversation.ts";
import type { Encoding, Engine, OptionEntry } from "../engine.ts";
import type { Expert } from "../experts.ts";
import { chooseByGate, type GatedChoice } from "../gate.ts";
import type { Floors, Judged } from "../orders.ts";
import { chooseByOptions, type Explanation, type RouteChoice } from "../route-choice.ts";
import type { ChoiceQuestion, LevelsQuestion, Question, YesNoQuestion } from "./questions.ts";

export interface Answer {
  /** In the order of the question: [yes, no], choices, levels. */
  readonly probabilities: readonly number[];
  /** Place of the likeliest. */
  readonly likeliest: number;
  /** Calibrated probability that the likeliest is right. */
  readonly correct: number;
  readonly abstain: boolean;
  readonly reason: Reason;
  readonly basis: Basis;
  /** Places of the conformal set; null where there is none. */
  readonly set: readonly number[] | null;
  /** Name of the expert that answered, if one did. */
  readonly expert: string | null;
  explain(most: number): Explanation;
}

/** Experts that a question may be for. */
export interface MayAnswer {
  /** The expert that the request names. */
  readonly pinned: Expert | null;
  /** Those that answer where none is named. */
  readonly inPlay: readonly Expert[];
  /** Heads of the owner, for labels that are exactly theirs. */
  readonly own: readonly Expert[];
}

/** As much as the options scorer has to know. */
export interface AskedOptions extends Pick<Assessor, "thresholds"> {
  readonly engine: Pick<Engine, "options">;
  readonly encoding: Encoding;
  readonly floors: Floors;
}

export interface Asked extends AskedOptions, Assessor, MayAnswer {
  readonly engine: Engine;
  readonly judged: Judged;
  /** Told of each choice that an expert made. */
  onChoice(chosen: RouteChoice): void;
}

export function answerQuestion(asked: Asked, question: Question): Answer {
  switch (question.kind) {
    case "yes_no":
      return isEscalation(question) ? askEscalation(asked) : askYesNo(asked, question);
    case "choice": {
      const expert = expertOfChoice(asked, question);
      return expert === null ? askVocabulary(asked, question) : askExpert(asked, { question, expert });
    }
    case "levels":
      return isComplexity(question) ? askComplexity(asked) : askLevels(asked, question);
  }
}

/** Whether it is the options scorer that answers. */
export function isForOptions(mayAnswer: MayAnswer, question: Question): boolean {
  switch (question.kind) {
    case "yes_no":
      return !isEscalation(question);
    case "choice":
      return expertOfChoice(mayAnswer, question) === null;
    case "levels":
      return !isComplexity(question);
  }
}

/** The answer to a question that is for the options scorer. */
export function answerByOptions(asked: AskedOptions, question: Question): Answer {
  switch (question.kind) {
    case "yes_no":
      return askYesNo(asked, question);
    case "choice":
      return askVocabulary(asked, question);
    case "levels":
      return askLevels(asked, question);
  }
}

/** Those that will be asked: the text has to be encoded for them before. */
export function expertsAsked(mayAnswer: MayAnswer, questions: readonly Question[]): readonly Expert[] {
  return questions.flatMap((question) => {
    if (question.kind === "choice") return expertOfChoice(mayAnswer, question) ?? [];
    return question.kind === "yes_no" && isEscalation(question) ? mayAnswer.inPlay : [];
  });
}

function isEscalation({ name }: YesNoQuestion): boolean {
  return name === "escalate";
}

function isComplexity({ name, levels }: LevelsQuestion): boolean {
  return name === "complexity" && levels.length === 4;
}

function askEscalation(asked: Asked): Answer {
  const { engine, encoding, judged, inPlay } = asked;
  const { chosen: standing } = chooseByGate(inPlay, encoding, null);
  const { pYes: p, explain } = judgeEscalation(engine, encoding, { judged, standing });
  const sure = Math.max(p, 1 - p);
  return { ...unproven(asked, [p, 1 - p], sure), likeliest: p >= 1 - p ? 0 : 1, basis: "head", explain };
}

function askComplexity(asked: Asked): Answer {
  const { probabilities, complexity, confidence, explain } = judgeComplexity(asked, asked.encoding, asked.judged);
  return { ...unproven(asked, [...probabilities], confidence), likeliest: complexity - 1, basis: "head", explain };
}

/** With both sides described the question itself says nothing more; with one, the other takes what that one leaves. */
function askYesNo(asked: AskedOptions, { instructions, whenTrue, whenFalse }: YesNoQuestion): Answer {
  const isYes = whenFalse === "" ? joined([instructions, whenTrue]) : whenTrue || instructions;
  const entries = [entry("true", isYes), entry("false", whenFalse)];
  const chosen = chooseByOptions(asked.engine.options, asked.encoding, entries);
  return answerOf(asked, chosen, [chosen.labels.indexOf("true"), chosen.labels.indexOf("false")]);
}

function askLevels(asked: AskedOptions, { levels }: LevelsQuestion): Answer {
  const entries = levels.map(({ label, description }, place) => {
    const named = label === String(place) ? description : [label, description].filter((text) => text !== "").join(" ");
    return entry(String(place), named);
  });
  const chosen = chooseByOptions(asked.engine.options, asked.encoding, entries);
  return answerOf(
    asked,
    chosen,
    levels.map((_, place) => chosen.labels.indexOf(String(place))),
  );
}

function askVocabulary(asked: AskedOptions, { choices }: ChoiceQuestion): Answer {
  const names = distinct(choices);
  const entries = choices.map(({ description }, place) => entry(names[place], description));
  const chosen = chooseByOptions(asked.engine.options, asked.encoding, entries);
  return chosenOf(asked, { chosen, gateConfidence: null }, names);
}

function askExpert(asked: Asked, { question, expert }: { question: ChoiceQuestion; expert: Expert }): Answer {
  const labels = labelsOf(question);
  const gated = chooseByGate([expert], asked.encoding, labels);
  asked.onChoice(gated.chosen);
  return chosenOf(asked, gated, labels);
}

/** `names`: labels in the order of the question. */
function chosenOf({ floors, thresholds }: AskedOptions, gated: GatedChoice, names: readonly string[]): Answer {
  const { chosen } = gated;
  const { action, reason } = verdictOn(factsOf(gated, { order: floors, escalation: null, thresholds }));
  const places = names.map((name) => chosen.labels.indexOf(name));
  return { ...shaped(chosen, places), abstain: abstains({ action, reason }), reason };
}

/** `true` and "true" are two values with one name: blanks keep them apart, which no reader of names hears. */
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

/** What the scorer chose, in the order of the question. A level or a side has no kind: only a choice can mean to hand over. */
function answerOf(asked: AskedOptions, chosen: RouteChoice, places: readonly number[]): Answer {
  const facts = factsOf(
    { chosen: { ...chosen, kind: "tool" }, gateConfidence: null },
    { order: asked.floors, escalation: null, thresholds: asked.thresholds },
  );
  const { action, reason } = verdictOn(facts);
  return { ...shaped(chosen, places), abstain: action === "delegate", reason };
}

function shaped(chosen: RouteChoice, places: readonly number[]): Omit<Answer, "abstain" | "reason"> {
  const { probabilities, choice, confidence, set, labels, basis, expert, explain } = chosen;
  const inSet = new Set(set?.labels);
  return {
    probabilities: places.map((place) => probabilities[place]),
    likeliest: places.indexOf(choice),
    correct: confidence,
    basis,
    set: set === null ? null : [...places.keys()].filter((place) => inSet.has(labels[places[place]])),
    expert: expert?.name ?? null,
    explain,
  };
}

/** Answers of models without a curve of risk: a wish for an error rate can never be proven. */
function unproven(
  { floors, thresholds }: Asked,
  probabilities: readonly number[],
  correct: number,
): Omit<Answer, "basis" | "explain" | "likeliest"> {
  const chosen = { kind: "tool", expert: null, outOfScope: false, confidence: correct, risk: [], set: null } as const;
  const facts = factsOf({ chosen, gateConfidence: null }, { order: floors, escalation: null, thresholds });
  const { action, reason } = verdictOn(facts);
  return { probabilities, correct, abstain: action === "delegate", reason, set: null, expert: null };
}
