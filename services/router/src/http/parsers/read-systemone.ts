/** Reads requests in the TypeSafe format: one state and a map of questions. */
import type { BodyOf, systemone } from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import { isRecord } from "@triptych/util";
import type { CompatRequest, Question } from "../../domain/openai-compat/questions.ts";
import { flattenJson } from "../../domain/conversation.ts";
import { checkText, readExtensions } from "./read-compat.ts";
import { readDescribed } from "./read-parameters.ts";
import { readContent } from "./read-situation.ts";

type SystemOneBody = BodyOf<typeof systemone>;
type QuestionSent = SystemOneBody["questions"][string];

export function readSystemOne(body: SystemOneBody, errors: ValidationErrors): CompatRequest {
  const { state, questions } = body;
  return {
    state: errors.isValid("/state") ? readState(state, errors) : "",
    context: "",
    questions: errors.isValid("/questions") ? Object.entries(questions).map(questionOf) : [],
    ...readExtensions(body, ["state", "questions"], errors),
  };
}

function readState(state: SystemOneBody["state"], errors: ValidationErrors): string {
  const text = isParts(state) ? readContent(state, flattenJson, { path: "/state", errors }) : flattenJson(state);
  checkText(text, "/state", errors);
  return text;
}

/** A list counts as parts if every element has a part type. */
function isParts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((part) => isRecord(part) && isPartType(part["type"]));
}

function isPartType(type: unknown): boolean {
  return typeof type === "string" && /^(?:text|json|box|(?:in|out)put_\w+|image\w*|file)$/.test(type);
}

function questionOf([name, question]: [string, QuestionSent]): Question {
  switch (question.type) {
    case "noul":
      return {
        kind: "yes_no",
        name,
        instructions: flattenJson(question.instructions),
        whenTrue: flattenJson(question.criteria?.true),
        whenFalse: flattenJson(question.criteria?.false),
      };
    case "choice":
      return {
        kind: "choice",
        name,
        choices: Object.entries(question.criteria).map(([value, description]) => ({
          value,
          ...readDescribed(description),
        })),
      };
    case "score":
      return {
        kind: "levels",
        name,
        levels: question.criteria.map((original, index) => ({
          label: String(index),
          description: flattenJson(original),
          original,
        })),
      };
  }
}
