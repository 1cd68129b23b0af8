/** Parses requests of the OpenAI Decisions wire: a text or conversation, and a list of questions. */
import {
  LEVELS_MAX,
  LEVELS_MIN,
  MESSAGES_CHARACTERS_MAX,
  MESSAGES_MAX,
  OPTIONS_MAX,
  QUESTIONS_MAX,
  ROLES,
} from "@triptych/contracts";
import type { ChoiceQuestion, LevelsQuestion, Question, YesNoQuestion } from "../../domain/openai-compat/questions.ts";
import { joined, situationOf, type ChatMessage, type Situation } from "../../domain/conversation.ts";
import { flattenJson } from "../../domain/flatten.ts";
import {
  at,
  charactersOf,
  issue,
  hasIssueAt,
  isObject,
  readList,
  readObject,
  readEnum,
  refuseUnknown,
  type JsonPointer,
} from "./json-pointer.ts";
import { judgedText, readForeignLabel, readName, readStructured, type Wire } from "./read-compat.ts";
import { readContent } from "./read-parts.ts";

const TYPES = ["predicate", "choice", "score"] as const;
/** Tool calls and their outputs become context, at any position. */
const CALLS = ["function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output"] as const;

export const decisionsWire: Wire = {
  members: ["input", "questions"],
  situation: ({ input }, pointer) => readInput(input, at(pointer, "input")),
  questions: ({ questions }, pointer) => readQuestions(questions, at(pointer, "questions")),
};

function readInput(value: unknown, pointer: JsonPointer): Situation {
  if (typeof value === "string") return { state: judgedText(value, pointer), context: "" };
  if (!Array.isArray(value)) {
    if (value === undefined) issue(pointer, "missing", "`input` is missing.");
    else issue(pointer, "wrong_type", "This must be text or a list of messages.");
    return { state: "", context: "" };
  }
  const items = readList(value, { min: 1, max: MESSAGES_MAX, things: "items" }, pointer);
  const messages: ChatMessage[] = [];
  const calls: string[] = [];
  for (const [index, entry] of items.entries()) {
    const item = readItem(entry, at(pointer, index));
    if (typeof item === "string") calls.push(item);
    else messages.push(item);
  }
  return conversation(messages, calls, pointer);
}

function conversation(messages: readonly ChatMessage[], calls: readonly string[], pointer: JsonPointer): Situation {
  const total = [...calls, ...messages.map(({ text }) => text)].reduce((sum, text) => sum + charactersOf(text), 0);
  if (total > MESSAGES_CHARACTERS_MAX)
    issue(pointer, "too_long", `The input may have at most ${MESSAGES_CHARACTERS_MAX} characters in total.`);
  const situation = situationOf(messages);
  if (situation !== null)
    return { state: judgedText(situation.state, pointer), context: joined([situation.context, ...calls]) };
  if (!hasIssueAt(pointer))
    issue(pointer, "no_user_message", "At least one message must have the role `user`: the last one is classified.");
  return { state: "", context: "" };
}

function readItem(value: unknown, pointer: JsonPointer): string | ChatMessage {
  const item = readObject(value, pointer);
  if (item === null) return "";
  const { type } = item;
  if (type === undefined || type === "message") {
    const role = readEnum(item["role"], ROLES, at(pointer, "role"));
    return { role: role ?? "user", text: readContent(item["content"], flattenJson, at(pointer, "content")) };
  }
  switch (readEnum(type, CALLS, at(pointer, "type"))) {
    case "function_call":
      return joined([
        readStructured(item["name"], at(pointer, "name")),
        readWritten(item["arguments"], at(pointer, "arguments")),
      ]);
    case "custom_tool_call":
      return joined([
        readStructured(item["name"], at(pointer, "name")),
        readWritten(item["input"], at(pointer, "input")),
      ]);
    case "function_call_output":
    case "custom_tool_call_output":
      return readContent(item["output"], flattenJson, at(pointer, "output"));
    case null:
      return "";
  }
}

function readWritten(value: unknown, pointer: JsonPointer): string {
  return unwritten(readStructured(value, pointer));
}

/** Call arguments, and JSON input of `ai`, arrive as JSON strings; JSON punctuation must not be judged. */
function unwritten(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return flattenJson(JSON.parse(text));
  } catch {
    return text;
  }
}

function readQuestions(value: unknown, pointer: JsonPointer): Question[] {
  if (value === undefined) issue(pointer, "missing", "`questions` is missing.");
  if (value === undefined) return [];
  const list = readList(value, { min: 1, max: QUESTIONS_MAX, things: "questions" }, pointer);
  return list.map((question, index) => readQuestion(question, at(pointer, index)));
}

const MEMBERS = {
  predicate: ["type", "name", "instructions"],
  choice: ["type", "name", "instructions", "choices"],
  score: ["type", "name", "instructions", "levels"],
} as const;

function readQuestion(value: unknown, pointer: JsonPointer): Question {
  const nothing: YesNoQuestion = { kind: "yes_no", name: null, instructions: "", whenTrue: "", whenFalse: "" };
  const question = readObject(value, pointer);
  if (question === null) return nothing;
  const type = readEnum(question["type"], TYPES, at(pointer, "type"));
  if (type === null) return nothing;
  refuseUnknown(question, MEMBERS[type], pointer);
  const name = readName(question["name"], at(pointer, "name"));
  const instructions = readInstructions(question["instructions"], at(pointer, "instructions"));
  switch (type) {
    case "predicate":
      if (question["instructions"] === undefined)
        issue(at(pointer, "instructions"), "missing", "`instructions` is missing.");
      return { kind: "yes_no", name, ...sidesOf(instructions) };
    case "choice":
      return { kind: "choice", name, choices: readChoices(question["choices"], at(pointer, "choices")) };
    case "score":
      return { kind: "levels", name, levels: readLevels(question["levels"], at(pointer, "levels")) };
  }
}

function readInstructions(value: unknown, pointer: JsonPointer): string {
  const isParts = Array.isArray(value) && value.length > 0 && value.every((part) => isObject(part) && "type" in part);
  return isParts ? readContent(value, flattenJson, pointer) : readStructured(value, pointer);
}

/** The adapter of `ai` writes a yes/no question and both sides as one text. Splitting it makes both wires equivalent. */
function sidesOf(text: string): Pick<YesNoQuestion, "instructions" | "whenTrue" | "whenFalse"> {
  const [before, whenFalse] = cutAt("Criteria for false:\n", text);
  const [instructions, whenTrue] = cutAt("Criteria for true:\n", before);
  return { instructions: unwritten(instructions), whenTrue: unwritten(whenTrue), whenFalse: unwritten(whenFalse) };
}

/** The text before and after a heading. A heading starts the text or follows an empty line. */
function cutAt(heading: string, text: string): [string, string] {
  if (text.startsWith(heading)) return ["", text.slice(heading.length)];
  const offset = text.indexOf(`\n\n${heading}`);
  return offset < 0 ? [text, ""] : [text.slice(0, offset), text.slice(offset + 2 + heading.length)];
}

function readChoices(value: unknown, pointer: JsonPointer): ChoiceQuestion["choices"] {
  const list =
    value === undefined
      ? missing(pointer, "choices")
      : readList(value, { min: 2, max: OPTIONS_MAX, things: "choices" }, pointer);
  const seen = new Set<string | boolean>();
  return list.map((rawChoice, index) => {
    const choice = readMember(rawChoice, ["value", "description"], at(pointer, index));
    const value = readValue(choice["value"], at(at(pointer, index), "value"));
    if (seen.has(value)) issue(at(at(pointer, index), "value"), "repeated", "This choice is a duplicate.");
    seen.add(value);
    return { value, description: readWritten(choice["description"], at(at(pointer, index), "description")) };
  });
}

function readValue(value: unknown, pointer: JsonPointer): string | boolean {
  return typeof value === "boolean" ? value : readForeignLabel(value, pointer);
}

function readLevels(value: unknown, pointer: JsonPointer): LevelsQuestion["levels"] {
  const bounds = { min: LEVELS_MIN, max: LEVELS_MAX, things: "levels" };
  const list = value === undefined ? missing(pointer, "levels") : readList(value, bounds, pointer);
  return list.map((rawLevel, index) => {
    const level = readMember(rawLevel, ["label", "description"], at(pointer, index));
    return {
      label: readForeignLabel(level["label"], at(at(pointer, index), "label")),
      description: readWritten(level["description"], at(at(pointer, index), "description")),
      original: level["description"] ?? null,
    };
  });
}

function readMember(
  value: unknown,
  allowed: readonly string[],
  pointer: JsonPointer,
): Readonly<Record<string, unknown>> {
  const member = readObject(value, pointer) ?? {};
  refuseUnknown(member, allowed, pointer);
  return member;
}

function missing(pointer: JsonPointer, name: string): readonly never[] {
  issue(pointer, "missing", `\`${name}\` is missing.`);
  return [];
}
