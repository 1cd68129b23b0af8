/** Reads requests in the OpenAI Decisions format: a text or conversation, and a list of questions. */
import { MESSAGES_CHARACTERS_MAX, MESSAGES_MAX, ROLES, type BodyOf, type decisions } from "@triptych/contracts";
import { nearest, type ValidationErrors } from "@triptych/server";
import { isRecord } from "@triptych/util";
import type { CompatRequest, Question, YesNoQuestion } from "../../domain/openai-compat/questions.ts";
import { joined, situationOf, type ChatMessage, type Situation, flattenJson } from "../../domain/conversation.ts";
import { checkText, readExtensions } from "./read-compat.ts";
import { readDescribed } from "./read-parameters.ts";
import { noUserMessage, readContent, type Place } from "./read-situation.ts";
import { charactersOf, objectsIn, refuseRepeated } from "./rules.ts";

type DecisionsBody = BodyOf<typeof decisions>;
type QuestionSent = DecisionsBody["questions"][number];

/** Tool calls and their outputs become context, wherever they appear. */
const CALLS = ["function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output"] as const;

export function readDecisions(body: DecisionsBody, errors: ValidationErrors): CompatRequest {
  const situation = readInput(body.input, { path: "/input", errors });
  const questions = objectsIn(body.questions, "/questions", errors).flatMap(({ entry, path }) =>
    readQuestion(entry, { path, errors }),
  );
  return { ...situation, questions, ...readExtensions(body, ["input", "questions"], errors) };
}

function readInput(input: DecisionsBody["input"], { path, errors }: Place): Situation {
  if (typeof input === "string") return { state: input, context: "" };
  const items = objectsIn(input, path, errors);
  if (items.length > MESSAGES_MAX)
    errors.add({ path, reason: "maxItems", message: `\`input\` must have at most ${MESSAGES_MAX} entries.` });
  const messages: ChatMessage[] = [];
  const calls: string[] = [];
  for (const { entry, path } of items.slice(0, MESSAGES_MAX)) {
    const item = readItem({ ...entry }, { path, errors });
    if (typeof item === "string") calls.push(item);
    else messages.push(item);
  }
  return conversation(messages, calls, { path, errors });
}

function conversation(messages: readonly ChatMessage[], calls: readonly string[], { path, errors }: Place): Situation {
  const total = [...calls, ...messages.map(({ text }) => text)].reduce((sum, text) => sum + charactersOf(text), 0);
  if (total > MESSAGES_CHARACTERS_MAX)
    errors.add({
      path,
      reason: "too_long",
      message: `The input may have at most ${MESSAGES_CHARACTERS_MAX} characters in total.`,
    });
  const { state, context } = situationOf(messages) ?? { state: null, context: "" };
  if (state !== null) checkText(state, path, errors);
  else if (errors.isValid(path)) errors.add(noUserMessage(path));
  return { state: state ?? "", context: joined([context, ...calls]) };
}

function readItem(item: Readonly<Record<string, unknown>>, { path, errors }: Place): string | ChatMessage {
  const { type = "message" } = item;
  const contentOf = (member: string) => readContent(item[member], flattenJson, { path: `${path}/${member}`, errors });
  if (type === "message") {
    const role = readEnum(item["role"], ROLES, { path: `${path}/role`, errors });
    return { role: role ?? "user", text: contentOf("content") };
  }
  const textOf = (member: string) => readStructured(item[member], { path: `${path}/${member}`, errors });
  switch (readEnum(type, CALLS, { path: `${path}/type`, errors })) {
    case "function_call":
      return joined([textOf("name"), parseText(textOf("arguments"))]);
    case "custom_tool_call":
      return joined([textOf("name"), parseText(textOf("input"))]);
    case "function_call_output":
    case "custom_tool_call_output":
      return contentOf("output");
    case null:
      return "";
  }
}

function readEnum<const T extends string>(value: unknown, allowed: readonly T[], { path, errors }: Place): T | null {
  const found = allowed.find((option) => option === value);
  if (found !== undefined) return found;
  const suggestions = typeof value === "string" ? nearest(value, allowed, 1) : [];
  const message = `This must be one of ${allowed.join(", ")}.`;
  errors.add({ path, reason: "enum", message, allowed, ...(suggestions.length > 0 && { suggestions }) });
  return null;
}

function readStructured(value: unknown, { path, errors }: Place): string {
  if (value === null || value === undefined || typeof value === "object") return flattenJson(value);
  if (typeof value === "string") return value;
  errors.add({ path, reason: "type", message: "This must be text, JSON or null." });
  return "";
}

/**
 * Call arguments, and JSON input of the `ai` package, arrive as JSON strings. JSON punctuation must not influence the
 * decision.
 */
function parseText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return flattenJson(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Returns no question if the schema rejects it. */
function readQuestion(question: QuestionSent, { path, errors }: Place): readonly Question[] {
  if (question.type === "choice") {
    const choices = objectsIn(question.choices, `${path}/choices`, errors);
    const values = choices.map(({ entry: { value }, path }) => ({ value, path: `${path}/value` }));
    refuseRepeated(values, errors);
  }
  const instructions = readInstructions(question.instructions, { path: `${path}/instructions`, errors });
  if (!errors.isValid(path)) return [];
  const name = question.name ?? null;
  switch (question.type) {
    case "predicate":
      return [{ kind: "yes_no", name, ...sidesOf(instructions) }];
    case "choice":
      return [{ kind: "choice", name, choices: question.choices.map(describeChoice) }];
    case "score":
      return [
        {
          kind: "levels",
          name,
          levels: question.levels.map((level) => ({ ...describe(level), original: level.description ?? null })),
        },
      ];
  }
}

function describeChoice<T extends { readonly description?: unknown }>(sent: T) {
  const { description, parameters } = readDescribed(sent.description);
  return { ...sent, description: parseText(description), parameters };
}

function describe<T extends { readonly description?: unknown }>(sent: T) {
  return { ...sent, description: parseText(flattenJson(sent.description)) };
}

function readInstructions(value: unknown, place: Place): string {
  const isParts = Array.isArray(value) && value.length > 0 && value.every((part) => isRecord(part) && "type" in part);
  return isParts ? readContent(value, flattenJson, place) : flattenJson(value);
}

/**
 * The adapter of the `ai` package writes a yes/no question and both sides as one text. Splitting it makes both formats
 * equivalent.
 */
function sidesOf(text: string): Pick<YesNoQuestion, "instructions" | "whenTrue" | "whenFalse"> {
  const [before, whenFalse] = cutAt("Criteria for false:\n", text);
  const [instructions, whenTrue] = cutAt("Criteria for true:\n", before);
  return { instructions: parseText(instructions), whenTrue: parseText(whenTrue), whenFalse: parseText(whenFalse) };
}

/** Splits a text at a heading, which starts the text or follows an empty line. */
function cutAt(heading: string, text: string): [string, string] {
  if (text.startsWith(heading)) return ["", text.slice(heading.length)];
  const offset = text.indexOf(`\n\n${heading}`);
  return offset < 0 ? [text, ""] : [text.slice(0, offset), text.slice(offset + 2 + heading.length)];
}
