/** What both foreign wires have in common: our own extensions, names of questions, texts that may be JSON. */
import { CONFIDENCE_FORMULAS, FOREIGN_FIELDS, MESSAGES_CHARACTERS_MAX, QUESTION_NAME_MAX } from "@triptych/contracts";
import type { Faults } from "@triptych/server";
import type { CompatOrder, Question } from "../../domain/openai-compat/questions.ts";
import type { Situation } from "../../domain/conversation.ts";
import { flattenJson } from "../../domain/flatten.ts";
import {
  at,
  fault,
  hasFaultAt,
  isLonger,
  readObject,
  readOneOf,
  readText,
  wholeBody,
  type Json,
  type Place,
} from "./json-pointer.ts";
import { readExplain, readFloors, readPin } from "./read-decision.ts";

const EXTENSIONS = ["model", "expert", "min_conf", "max_error", "explain", "confidence_formula"] as const;

/** The members of a wire, each read by its own reader. */
export interface Wire {
  readonly members: readonly string[];
  situation(body: Json, place: Place): Situation;
  questions(body: Json, place: Place): readonly Question[];
}

/** What it returns counts only when `faults` has none. */
export function readCompat(body: unknown, wire: Wire, faults: Faults): CompatOrder {
  const place = wholeBody(faults);
  const object = readObject(body, place) ?? {};
  const formula = object["confidence_formula"];
  const order = {
    ...(body === object ? wire.situation(object, place) : { state: "", context: "" }),
    questions: body === object ? wire.questions(object, place) : [],
    expert: readPin(object, place),
    explain: readExplain(object["explain"], at(place, "explain")),
    ...readFloors(object, place),
    formula:
      formula === undefined
        ? ("chance" as const)
        : (readOneOf(formula, CONFIDENCE_FORMULAS, at(place, "confidence_formula")) ?? "chance"),
    warnings: unknownFields(object, [...EXTENSIONS, ...FOREIGN_FIELDS, ...wire.members]),
  };
  return order;
}

/** Foreign clients are newer than we are: what they say on top of it is no fault, but not to be passed over in silence. */
function unknownFields(body: Json, known: readonly string[]): string[] {
  const shown = Object.keys(body)
    .filter((name) => !known.includes(name))
    .map((name) => `The field \`${name.slice(0, 60)}\` is not known here and was ignored.`);
  return shown.slice(0, 20);
}

/** What could not be read is no text either, and has been told. */
export function judgedText(text: string, place: Place): string {
  if (hasFaultAt(place)) return text;
  if (!/\S/.test(text)) fault(place, "empty", "This holds no text that could be judged.");
  else if (isLonger(text, MESSAGES_CHARACTERS_MAX))
    fault(place, "too_long", `This may have at most ${MESSAGES_CHARACTERS_MAX} characters as text.`);
  return text;
}

/** Text, JSON that becomes text, or nothing. */
export function readStructured(value: unknown, place: Place): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined || typeof value === "object") return flattenJson(value);
  fault(place, "wrong_type", "This must be text, JSON or null.");
  return "";
}

export function readName(value: unknown, place: Place): string | null {
  return value === undefined || value === null ? null : readText(value, { max: QUESTION_NAME_MAX }, place);
}

/** Label of a choice on a foreign wire: any text, because the answer must give it back as it came. */
export function readForeignLabel(value: unknown, place: Place): string {
  return readText(value, { min: 1, max: QUESTION_NAME_MAX }, place) ?? "";
}
