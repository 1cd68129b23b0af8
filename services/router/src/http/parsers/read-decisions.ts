/** Reads a request of the OpenAI Decisions wire: text or a conversation, and a list of questions. */
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
import { joined, situationOf, type SaidMessage, type Situation } from "../../domain/conversation.ts";
import { flattenJson } from "../../domain/flatten.ts";
import {
  at,
  charactersOf,
  fault,
  hasFaultAt,
  isObject,
  readList,
  readObject,
  readOneOf,
  refuseUnknown,
  type Place,
} from "./json-pointer.ts";
import { judgedText, readForeignLabel, readName, readStructured, type Wire } from "./read-compat.ts";
import { readContent } from "./read-parts.ts";

const TYPES = ["predicate", "choice", "score"] as const;
/** Calls of tools and what they gave back: what is known beside the conversation, wherever it stands. */
const CALLS = ["function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output"] as const;

export const decisionsWire: Wire = {
  members: ["input", "questions"],
  situation: ({ input }, place) => readInput(input, at(place, "input")),
  questions: ({ questions }, place) => readQuestions(questions, at(place, "questions")),
};

function readInput(value: unknown, place: Place): Situation {
  if (typeof value === "string") return { state: judgedText(value, place), context: "" };
  if (!Array.isArray(value)) {
    if (value === undefined) fault(place, "missing", "`input` is missing.");
    else fault(place, "wrong_type", "This must be text or a list of messages.");
    return { state: "", context: "" };
  }
  const items = readList(value, { min: 1, max: MESSAGES_MAX, things: "items" }, place);
  const messages: SaidMessage[] = [];
  const calls: string[] = [];
  for (const [index, one] of items.entries()) {
    const item = readItem(one, at(place, index));
    if (typeof item === "string") calls.push(item);
    else messages.push(item);
  }
  return conversation(messages, calls, place);
}

function conversation(messages: readonly SaidMessage[], calls: readonly string[], place: Place): Situation {
  const total = [...calls, ...messages.map(({ text }) => text)].reduce((sum, text) => sum + charactersOf(text), 0);
  if (total > MESSAGES_CHARACTERS_MAX)
    fault(place, "too_long", `The input may have at most ${MESSAGES_CHARACTERS_MAX} characters in all.`);
  const situation = situationOf(messages);
  if (situation !== null)
    return { state: judgedText(situation.state, place), context: joined([situation.context, ...calls]) };
  if (!hasFaultAt(place))
    fault(place, "no_user_message", "One message at least must be of role `user`: it is what is judged.");
  return { state: "", context: "" };
}

/** Text of a call or an output, or a message. */
function readItem(value: unknown, place: Place): string | SaidMessage {
  const item = readObject(value, place);
  if (item === null) return "";
  const { type } = item;
  if (type === undefined || type === "message") {
    const role = readOneOf(item["role"], ROLES, at(place, "role"));
    return { role: role ?? "user", text: readContent(item["content"], flattenJson, at(place, "content")) };
  }
  switch (readOneOf(type, CALLS, at(place, "type"))) {
    case "function_call":
      return joined([
        readStructured(item["name"], at(place, "name")),
        readWritten(item["arguments"], at(place, "arguments")),
      ]);
    case "custom_tool_call":
      return joined([readStructured(item["name"], at(place, "name")), readWritten(item["input"], at(place, "input"))]);
    case "function_call_output":
    case "custom_tool_call_output":
      return readContent(item["output"], flattenJson, at(place, "output"));
    case null:
      return "";
  }
}

function readWritten(value: unknown, place: Place): string {
  return unwritten(readStructured(value, place));
}

/** Arguments of calls, and what `ai` was given as JSON, come as JSON inside a string: the signs of JSON are not to be judged. */
function unwritten(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return flattenJson(JSON.parse(text));
  } catch {
    return text;
  }
}

function readQuestions(value: unknown, place: Place): Question[] {
  if (value === undefined) fault(place, "missing", "`questions` is missing.");
  if (value === undefined) return [];
  const list = readList(value, { min: 1, max: QUESTIONS_MAX, things: "questions" }, place);
  return list.map((one, index) => readQuestion(one, at(place, index)));
}

const MEMBERS = {
  predicate: ["type", "name", "instructions"],
  choice: ["type", "name", "instructions", "choices"],
  score: ["type", "name", "instructions", "levels"],
} as const;

function readQuestion(value: unknown, place: Place): Question {
  const nothing: YesNoQuestion = { kind: "yes_no", name: null, instructions: "", whenTrue: "", whenFalse: "" };
  const question = readObject(value, place);
  if (question === null) return nothing;
  const type = readOneOf(question["type"], TYPES, at(place, "type"));
  if (type === null) return nothing;
  refuseUnknown(question, MEMBERS[type], place);
  const name = readName(question["name"], at(place, "name"));
  const instructions = readInstructions(question["instructions"], at(place, "instructions"));
  switch (type) {
    case "predicate":
      if (question["instructions"] === undefined)
        fault(at(place, "instructions"), "missing", "`instructions` is missing.");
      return { kind: "yes_no", name, ...sidesOf(instructions) };
    case "choice":
      return { kind: "choice", name, choices: readChoices(question["choices"], at(place, "choices")) };
    case "score":
      return { kind: "levels", name, levels: readLevels(question["levels"], at(place, "levels")) };
  }
}

/** Text, or parts of it as in a message. */
function readInstructions(value: unknown, place: Place): string {
  const isParts = Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one) && "type" in one);
  return isParts ? readContent(value, flattenJson, place) : readStructured(value, place);
}

/** The adapter of `ai` writes a yes/no question with its sides as one text: taken apart again, so that both wires mean the same. */
function sidesOf(text: string): Pick<YesNoQuestion, "instructions" | "whenTrue" | "whenFalse"> {
  const [before, whenFalse] = cutAt("Criteria for false:\n", text);
  const [instructions, whenTrue] = cutAt("Criteria for true:\n", before);
  return { instructions: unwritten(instructions), whenTrue: unwritten(whenTrue), whenFalse: unwritten(whenFalse) };
}

/** What stands before a heading and what after it. A heading opens the text, or follows an empty line. */
function cutAt(heading: string, text: string): [string, string] {
  if (text.startsWith(heading)) return ["", text.slice(heading.length)];
  const place = text.indexOf(`\n\n${heading}`);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 2 + heading.length)];
}

function readChoices(value: unknown, place: Place): ChoiceQuestion["choices"] {
  const list =
    value === undefined
      ? missing(place, "choices")
      : readList(value, { min: 2, max: OPTIONS_MAX, things: "choices" }, place);
  const seen = new Set<string | boolean>();
  return list.map((one, index) => {
    const choice = readMember(one, ["value", "description"], at(place, index));
    const value = readValue(choice["value"], at(at(place, index), "value"));
    if (seen.has(value)) fault(at(at(place, index), "value"), "repeated", "This choice is listed before.");
    seen.add(value);
    return { value, description: readWritten(choice["description"], at(at(place, index), "description")) };
  });
}

function readValue(value: unknown, place: Place): string | boolean {
  return typeof value === "boolean" ? value : readForeignLabel(value, place);
}

function readLevels(value: unknown, place: Place): LevelsQuestion["levels"] {
  const bounds = { min: LEVELS_MIN, max: LEVELS_MAX, things: "levels" };
  const list = value === undefined ? missing(place, "levels") : readList(value, bounds, place);
  return list.map((one, index) => {
    const level = readMember(one, ["label", "description"], at(place, index));
    return {
      label: readForeignLabel(level["label"], at(at(place, index), "label")),
      description: readWritten(level["description"], at(at(place, index), "description")),
      given: level["description"] ?? null,
    };
  });
}

function readMember(value: unknown, known: readonly string[], place: Place): Readonly<Record<string, unknown>> {
  const member = readObject(value, place) ?? {};
  refuseUnknown(member, known, place);
  return member;
}

function missing(place: Place, name: string): readonly never[] {
  fault(place, "missing", `\`${name}\` is missing.`);
  return [];
}
