/** Parses requests of the TypeSafe wire: one state, a map of questions. */
import { LEVELS_MAX, LEVELS_MIN, OPTIONS_MAX, QUESTIONS_MAX } from "@triptych/contracts";
import type { ChoiceQuestion, LevelsQuestion, Question, YesNoQuestion } from "../../domain/openai-compat/questions.ts";
import type { Situation } from "../../domain/conversation.ts";
import { flattenJson } from "../../domain/flatten.ts";
import {
  at,
  issue,
  isObject,
  readEntries,
  readList,
  readObject,
  readEnum,
  refuseUnknown,
  type Json,
  type JsonPointer,
} from "./json-pointer.ts";
import { judgedText, readForeignLabel, readStructured, type Wire } from "./read-compat.ts";
import { readContent } from "./read-parts.ts";

const TYPES = ["noul", "choice", "score"] as const;
const MEMBERS = ["type", "instructions", "criteria"] as const;

export const systemOneWire: Wire = {
  members: ["state", "questions"],
  situation: ({ state }, pointer) => readState(state, at(pointer, "state")),
  questions: ({ questions }, pointer) => readQuestions(questions, at(pointer, "questions")),
};

function readState(value: unknown, pointer: JsonPointer): Situation {
  const state = stateText(value, pointer);
  return { state: state === null ? "" : judgedText(state, pointer), context: "" };
}

function stateText(value: unknown, pointer: JsonPointer): string | null {
  if (typeof value === "string") return value;
  if (isParts(value)) return readContent(value, flattenJson, pointer);
  if (typeof value === "object" && value !== null) return flattenJson(value);
  if (value === undefined) issue(pointer, "missing", "`state` is missing.");
  else issue(pointer, "wrong_type", "This must be text, an object or a list.");
  return null;
}

/** A list counts as parts when every element has a part type. */
function isParts(value: unknown): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => isObject(part) && isPartType(part["type"]));
}

function isPartType(type: unknown): boolean {
  return typeof type === "string" && /^(?:text|json|box|(?:in|out)put_\w+|image\w*|file)$/.test(type);
}

function readQuestions(value: unknown, pointer: JsonPointer): Question[] {
  if (value === undefined) {
    issue(pointer, "missing", "`questions` is missing.");
    return [];
  }
  const map = readObject(value, pointer);
  if (map === null) return [];
  const entries = readEntries(map, { min: 1, max: QUESTIONS_MAX, things: "questions" }, pointer);
  return entries.map(([name, question]) =>
    readQuestion(readForeignLabel(name, at(pointer, name)), question, at(pointer, name)),
  );
}

function readQuestion(name: string, value: unknown, pointer: JsonPointer): Question {
  const nothing: YesNoQuestion = { kind: "yes_no", name, instructions: "", whenTrue: "", whenFalse: "" };
  const question = readObject(value, pointer);
  if (question === null) return nothing;
  refuseUnknown(question, MEMBERS, pointer);
  const instructions = readStructured(question["instructions"], at(pointer, "instructions"));
  const criteria = at(pointer, "criteria");
  switch (readEnum(question["type"], TYPES, at(pointer, "type"))) {
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

function readSides(value: unknown, pointer: JsonPointer): Pick<YesNoQuestion, "whenTrue" | "whenFalse"> {
  const sides = value === undefined || value === null ? {} : (readObject(value, pointer) ?? {});
  refuseUnknown(sides, ["true", "false"], pointer);
  return {
    whenTrue: readStructured(sides["true"], at(pointer, "true")),
    whenFalse: readStructured(sides["false"], at(pointer, "false")),
  };
}

function readChoice(name: string, value: unknown, pointer: JsonPointer): ChoiceQuestion {
  const map = value === undefined ? missing(pointer) : readObject(value, pointer);
  const entries = map === null ? [] : readEntries(map, { min: 1, max: OPTIONS_MAX, things: "labels" }, pointer);
  const choices = entries.map(([label, description]) => ({
    value: readForeignLabel(label, at(pointer, label)),
    description: readStructured(description, at(pointer, label)),
  }));
  return { kind: "choice", name, choices };
}

function readLevels(name: string, value: unknown, pointer: JsonPointer): LevelsQuestion {
  const bounds = { min: LEVELS_MIN, max: LEVELS_MAX, things: "levels" };
  const list = value === undefined ? (missing(pointer) ?? []) : readList(value, bounds, pointer);
  const levels = list.map((description, index) => ({
    label: String(index),
    description: readStructured(description, at(pointer, index)),
    original: description,
  }));
  return { kind: "levels", name, levels };
}

function missing(pointer: JsonPointer): null {
  issue(pointer, "missing", "`criteria` is missing.");
  return null;
}
