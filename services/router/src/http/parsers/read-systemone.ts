/** Reads a request of the TypeSafe wire: one state, a map of questions. */
import { LEVELS_MAX, LEVELS_MIN, OPTIONS_MAX, QUESTIONS_MAX } from "@triptych/contracts";
import type { ChoiceQuestion, LevelsQuestion, Question, YesNoQuestion } from "../../domain/openai-compat/questions.ts";
import type { Situation } from "../../domain/conversation.ts";
import { flattenJson } from "../../domain/flatten.ts";
import {
  at,
  fault,
  isObject,
  readEntries,
  readList,
  readObject,
  readOneOf,
  refuseUnknown,
  type Json,
  type Place,
} from "./json-pointer.ts";
import { judgedText, readForeignLabel, readStructured, type Wire } from "./read-compat.ts";
import { readContent } from "./read-parts.ts";

const TYPES = ["noul", "choice", "score"] as const;
const MEMBERS = ["type", "instructions", "criteria"] as const;

export const systemOneWire: Wire = {
  members: ["state", "questions"],
  situation: ({ state }, place) => readState(state, at(place, "state")),
  questions: ({ questions }, place) => readQuestions(questions, at(place, "questions")),
};

function readState(value: unknown, place: Place): Situation {
  const state = stateText(value, place);
  return { state: state === null ? "" : judgedText(state, place), context: "" };
}

function stateText(value: unknown, place: Place): string | null {
  if (typeof value === "string") return value;
  if (isParts(value)) return readContent(value, flattenJson, place);
  if (typeof value === "object" && value !== null) return flattenJson(value);
  if (value === undefined) fault(place, "missing", "`state` is missing.");
  else fault(place, "wrong_type", "This must be text, an object or a list.");
  return null;
}

/** A list is one of parts where every element says of which type it is. */
function isParts(value: unknown): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one) && isPartType(one["type"]));
}

function isPartType(type: unknown): boolean {
  return typeof type === "string" && /^(?:text|json|box|(?:in|out)put_\w+|image\w*|file)$/.test(type);
}

function readQuestions(value: unknown, place: Place): Question[] {
  if (value === undefined) {
    fault(place, "missing", "`questions` is missing.");
    return [];
  }
  const map = readObject(value, place);
  if (map === null) return [];
  const entries = readEntries(map, { min: 1, max: QUESTIONS_MAX, things: "questions" }, place);
  return entries.map(([name, one]) => readQuestion(readForeignLabel(name, at(place, name)), one, at(place, name)));
}

function readQuestion(name: string, value: unknown, place: Place): Question {
  const nothing: YesNoQuestion = { kind: "yes_no", name, instructions: "", whenTrue: "", whenFalse: "" };
  const question = readObject(value, place);
  if (question === null) return nothing;
  refuseUnknown(question, MEMBERS, place);
  const instructions = readStructured(question["instructions"], at(place, "instructions"));
  const criteria = at(place, "criteria");
  switch (readOneOf(question["type"], TYPES, at(place, "type"))) {
    case null:
      return nothing;
    case "noul":
      return { ...nothing, instructions, ...readSides(question["criteria"], criteria) };
    case "choice":
      return readChoice(name, question["criteria"], criteria);
    case "score":
      return readLevels(name, question["criteria"], criteria);
  }
}

function readSides(value: unknown, place: Place): Pick<YesNoQuestion, "whenTrue" | "whenFalse"> {
  const sides = value === undefined || value === null ? {} : (readObject(value, place) ?? {});
  refuseUnknown(sides, ["true", "false"], place);
  return {
    whenTrue: readStructured(sides["true"], at(place, "true")),
    whenFalse: readStructured(sides["false"], at(place, "false")),
  };
}

function readChoice(name: string, value: unknown, place: Place): ChoiceQuestion {
  const map = value === undefined ? missing(place) : readObject(value, place);
  const entries = map === null ? [] : readEntries(map, { min: 1, max: OPTIONS_MAX, things: "labels" }, place);
  const choices = entries.map(([label, description]) => ({
    value: readForeignLabel(label, at(place, label)),
    description: readStructured(description, at(place, label)),
  }));
  return { kind: "choice", name, choices };
}

function readLevels(name: string, value: unknown, place: Place): LevelsQuestion {
  const bounds = { min: LEVELS_MIN, max: LEVELS_MAX, things: "levels" };
  const list = value === undefined ? (missing(place) ?? []) : readList(value, bounds, place);
  const levels = list.map((given, index) => ({
    label: String(index),
    description: readStructured(given, at(place, index)),
    given,
  }));
  return { kind: "levels", name, levels };
}

function missing(place: Place): null {
  fault(place, "missing", "`criteria` is missing.");
  return null;
}
