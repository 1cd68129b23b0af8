/** Shared parsing of both compatible APIs: extensions, question names, texts that may be JSON. */
import {
  CONFIDENCE_FORMULAS,
  UNSUPPORTED_FIELDS,
  MESSAGES_CHARACTERS_MAX,
  QUESTION_NAME_MAX,
} from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import type { CompatRequest, Question } from "../../domain/openai-compat/questions.ts";
import type { Situation } from "../../domain/conversation.ts";
import { flattenJson } from "../../domain/flatten.ts";
import {
  at,
  issue,
  hasIssueAt,
  isLonger,
  readObject,
  readEnum,
  readText,
  wholeBody,
  type Json,
  type JsonPointer,
} from "./json-pointer.ts";
import { readExplain, readFloors, readPin } from "./read-decision.ts";

const EXTENSIONS = ["model", "expert", "min_conf", "max_error", "explain", "confidence_formula"] as const;

export interface Wire {
  readonly members: readonly string[];
  situation(body: Json, pointer: JsonPointer): Situation;
  questions(body: Json, pointer: JsonPointer): readonly Question[];
}

export function readCompat(body: unknown, wire: Wire, errors: ValidationErrors): CompatRequest {
  const pointer = wholeBody(errors);
  const object = readObject(body, pointer) ?? {};
  const formula = object["confidence_formula"];
  const thresholds = {
    ...(body === object ? wire.situation(object, pointer) : { state: "", context: "" }),
    questions: body === object ? wire.questions(object, pointer) : [],
    expert: readPin(object, pointer),
    explain: readExplain(object["explain"], at(pointer, "explain")),
    ...readFloors(object, pointer),
    formula:
      formula === undefined
        ? ("chance" as const)
        : (readEnum(formula, CONFIDENCE_FORMULAS, at(pointer, "confidence_formula")) ?? "chance"),
    warnings: unknownFields(object, [...EXTENSIONS, ...UNSUPPORTED_FIELDS, ...wire.members]),
  };
  return thresholds;
}

/** Clients may be newer than this router: unknown fields give warnings instead of errors. */
function unknownFields(body: Json, allowed: readonly string[]): string[] {
  const names = Object.keys(body)
    .filter((name) => !allowed.includes(name))
    .map((name) => `The field \`${name.slice(0, 60)}\` is not supported and was ignored.`);
  return names.slice(0, 20);
}

/** An unreadable text already has an issue; do not report it as empty too. */
export function judgedText(text: string, pointer: JsonPointer): string {
  if (hasIssueAt(pointer)) return text;
  if (!/\S/.test(text)) issue(pointer, "empty", "This contains no text to classify.");
  else if (isLonger(text, MESSAGES_CHARACTERS_MAX))
    issue(pointer, "too_long", `This may have at most ${MESSAGES_CHARACTERS_MAX} characters as text.`);
  return text;
}

export function readStructured(value: unknown, pointer: JsonPointer): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined || typeof value === "object") return flattenJson(value);
  issue(pointer, "wrong_type", "This must be text, JSON or null.");
  return "";
}

export function readName(value: unknown, pointer: JsonPointer): string | null {
  return value === undefined || value === null ? null : readText(value, { max: QUESTION_NAME_MAX }, pointer);
}

/** Label of a choice: any text, returned verbatim. */
export function readForeignLabel(value: unknown, pointer: JsonPointer): string {
  return readText(value, { min: 1, max: QUESTION_NAME_MAX }, pointer) ?? "";
}
