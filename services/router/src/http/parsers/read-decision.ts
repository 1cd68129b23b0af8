import {
  canonicalJson,
  EXPLAIN_DEFAULT,
  EXPLAIN_MAX,
  MAX_ERROR_MIN,
  MAX_ERROR_MAX,
  MESSAGES_CHARACTERS_MAX,
  MESSAGES_MAX,
  MODEL_MAX,
  MODEL_PREFIX,
  OPTION_EXAMPLES_MAX,
  OPTION_PARAMETERS_MAX,
  OPTION_TEXT_MAX,
  OPTIONS_MAX,
  ROLES,
  ROUTE_LABEL_MAX,
  STATE_MAX,
} from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import { situationOf, type ChatMessage, type Situation } from "../../domain/conversation.ts";
import type { OptionEntry } from "../../domain/engine.ts";
import type { DecisionRequest, ThresholdInput, Judged, Options } from "../../domain/decision-requests.ts";
import {
  at,
  charactersOf,
  issue,
  hasIssueAt,
  isObject,
  readEntries,
  readList,
  readNumber,
  readObject,
  readEnum,
  readText,
  refuseUnknown,
  type Json,
  type JsonPointer,
  wholeBody,
} from "./json-pointer.ts";
import { readContent } from "./read-parts.ts";

const JUDGED = ["state", "messages", "explain", "model"] as const;
const DECIDED = [...JUDGED, "options", "expert", "min_conf", "max_error"] as const;

const NOTHING: DecisionRequest = {
  state: "",
  context: "",
  explain: 0,
  options: null,
  expert: null,
  minConf: null,
  maxError: null,
};

export function readJudgement(body: unknown, errors: ValidationErrors): Judged {
  const pointer = wholeBody(errors);
  const object = readObject(body, pointer);
  if (object === null) return NOTHING;
  refuseUnknown(object, JUDGED, pointer);
  readModel(object["model"], at(pointer, "model"));
  return { ...readSituation(object, pointer), explain: readExplain(object["explain"], at(pointer, "explain")) };
}

export function readDecision(body: unknown, errors: ValidationErrors): DecisionRequest {
  const pointer = wholeBody(errors);
  const object = readObject(body, pointer);
  if (object === null) return NOTHING;
  refuseUnknown(object, DECIDED, pointer);
  const situation = readSituation(object, pointer);
  const options = readOptions(object["options"], at(pointer, "options"));
  const expert = readPin(object, pointer);
  if (expert !== null && options?.kind === "vocabulary")
    issue(
      at(pointer, object["expert"] === undefined ? "model" : "expert"),
      "not_together",
      "An expert decides among its own routes: omit `expert`, or send `options` as a list of its routes.",
    );
  return {
    ...situation,
    explain: readExplain(object["explain"], at(pointer, "explain")),
    options,
    expert,
    ...readFloors(object, pointer),
  };
}

export function readSituation(object: Json, pointer: JsonPointer): Situation {
  const { state, messages } = object;
  const nothing = { state: "", context: "" };
  if (state !== undefined && messages !== undefined) {
    issue(at(pointer, "messages"), "not_together", "Send `state` or `messages`, not both.");
    return nothing;
  }
  if (messages !== undefined) return readMessages(messages, at(pointer, "messages"));
  if (state !== undefined)
    return {
      state: readText(state, { min: 1, max: STATE_MAX, isRequired: true }, at(pointer, "state")) ?? "",
      context: "",
    };
  issue(at(pointer, "state"), "missing", "`state` and `messages` are missing: send one of them.");
  return nothing;
}

export function readMessages(value: unknown, pointer: JsonPointer): Situation {
  const nothing = { state: "", context: "" };
  const list = readList(value, { min: 1, max: MESSAGES_MAX, things: "messages" }, pointer);
  const messages = list.map((message, index) => readMessage(message, at(pointer, index)));
  if (list.length === 0) return nothing;
  const total = messages.reduce((sum, { text }) => sum + charactersOf(text), 0);
  if (total > MESSAGES_CHARACTERS_MAX)
    issue(pointer, "too_long", `Messages may have at most ${MESSAGES_CHARACTERS_MAX} characters together.`);
  const situation = situationOf(messages);
  if (situation === null && !hasIssueAt(pointer))
    issue(pointer, "no_user_message", "At least one message must have the role `user`: the last one is classified.");
  if (situation !== null && !/\S/.test(situation.state)) {
    const last = at(
      at(
        pointer,
        messages.findLastIndex(({ role }) => role === "user"),
      ),
      "content",
    );
    // An unreadable text already has an issue.
    if (!hasIssueAt(last)) issue(last, "empty", "The last `user` message contains no text.");
  }
  return situation ?? nothing;
}

/** Unknown members of messages are ignored, because clients add their own. */
function readMessage(value: unknown, pointer: JsonPointer): ChatMessage {
  const message = readObject(value, pointer);
  if (message === null) return { role: "system", text: "" };
  const role = readEnum(message["role"], ROLES, at(pointer, "role"));
  if (message["content"] === undefined) issue(at(pointer, "content"), "missing", "`content` is missing.");
  return { role: role ?? "user", text: readContent(message["content"], canonicalJson, at(pointer, "content")) };
}

function readOptions(value: unknown, pointer: JsonPointer): Options | null {
  if (value === undefined) return null;
  const bounds = { min: 1, max: OPTIONS_MAX, things: "options" };
  if (Array.isArray(value)) return { kind: "routes", labels: readLabels(readList(value, bounds, pointer), pointer) };
  if (isObject(value)) {
    const entries = readEntries(value, bounds, pointer);
    return {
      kind: "vocabulary",
      entries: entries.map(([label, entry]) => readOption(label, entry, at(pointer, label))),
    };
  }
  issue(pointer, "wrong_type", "This must be a list of routes, or a map of labels to their descriptions.");
  return null;
}

function readLabels(list: readonly unknown[], pointer: JsonPointer): string[] {
  const seen = new Set<string>();
  for (const [index, value] of list.entries()) {
    const label = readLabel(value, at(pointer, index));
    if (label !== null && seen.has(label)) issue(at(pointer, index), "repeated", "This label is a duplicate.");
    if (label !== null) seen.add(label);
  }
  return [...seen];
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

export function readLabel(value: unknown, pointer: JsonPointer): string | null {
  const label = readText(value, { min: 1, max: ROUTE_LABEL_MAX }, pointer);
  if (label === null) return null;
  if (CONTROL.test(label)) issue(pointer, "wrong_form", "A label must not contain control characters.");
  else if (label.trim() !== label) issue(pointer, "wrong_form", "A label must not start or end with white space.");
  else return label;
  return null;
}

function readOption(label: string, value: unknown, pointer: JsonPointer): OptionEntry {
  readLabel(label, pointer);
  const nothing = { label, description: "", parameters: [], examples: [] };
  if (value === null) return nothing;
  if (typeof value === "string")
    return { ...nothing, description: readText(value, { max: OPTION_TEXT_MAX }, pointer) ?? "" };
  if (!isObject(value)) {
    issue(pointer, "wrong_type", "An option description must be a string, null or an object.");
    return nothing;
  }
  refuseUnknown(value, ["description", "parameters", "examples"], pointer);
  const { description, parameters, examples } = value;
  return {
    label,
    description:
      description == null ? "" : (readText(description, { max: OPTION_TEXT_MAX }, at(pointer, "description")) ?? ""),
    parameters: readTexts(parameters, OPTION_PARAMETERS_MAX, at(pointer, "parameters")),
    examples: readTexts(examples, OPTION_EXAMPLES_MAX, at(pointer, "examples")),
  };
}

function readTexts(value: unknown, max: number, pointer: JsonPointer): string[] {
  if (value === undefined) return [];
  const list = readList(value, { min: 0, max, things: "texts" }, pointer);
  return list.map((value, index) => readText(value, { max: OPTION_TEXT_MAX }, at(pointer, index)) ?? "");
}

export function readExplain(value: unknown, pointer: JsonPointer): number {
  if (value === undefined || value === false) return 0;
  if (value === true) return EXPLAIN_DEFAULT;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= EXPLAIN_MAX) return value;
  issue(pointer, "wrong_type", `This must be true, false, or a whole number from 1 to ${EXPLAIN_MAX}.`);
  return 0;
}

export function readFloors({ min_conf: minConf, max_error: maxError }: Json, pointer: JsonPointer): ThresholdInput {
  return {
    minConf: readNumber(minConf, { min: 0, max: 1 }, at(pointer, "min_conf")),
    maxError: readNumber(maxError, { min: MAX_ERROR_MIN, max: MAX_ERROR_MAX }, at(pointer, "max_error")),
  };
}

/** The expert named by `expert` or within `model`. */
export function readPin({ expert, model }: Json, pointer: JsonPointer): string | null {
  const byModel = readModel(model, at(pointer, "model"));
  if (expert === undefined) return byModel;
  const byName = readText(expert, { min: 1, max: 64 }, at(pointer, "expert"));
  if (byName !== null && byModel !== null && byName !== byModel)
    issue(at(pointer, "model"), "not_together", "`model` and `expert` name different experts.");
  return byName;
}

function readModel(value: unknown, pointer: JsonPointer): string | null {
  if (value === undefined) return null;
  const model = readText(value, { max: MODEL_MAX }, pointer);
  return model !== null && model.startsWith(MODEL_PREFIX) && model !== MODEL_PREFIX
    ? model.slice(MODEL_PREFIX.length)
    : null;
}
