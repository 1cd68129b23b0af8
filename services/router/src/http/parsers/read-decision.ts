/** Reads a request of the native endpoints. */
import {
  canonicalJson,
  EXPLAIN_DEFAULT,
  EXPLAIN_MAX,
  MAX_ERROR_LEAST,
  MAX_ERROR_MOST,
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
import type { Faults } from "@triptych/server";
import { situationOf, type SaidMessage, type Situation } from "../../domain/conversation.ts";
import type { OptionEntry } from "../../domain/engine.ts";
import type { DecisionOrder, Floors, Judged, Options } from "../../domain/decision-requests.ts";
import {
  at,
  charactersOf,
  fault,
  hasFaultAt,
  isObject,
  readEntries,
  readList,
  readNumber,
  readObject,
  readOneOf,
  readText,
  refuseUnknown,
  type Json,
  type Place,
  wholeBody,
} from "./json-pointer.ts";
import { readContent } from "./read-parts.ts";

const JUDGED = ["state", "messages", "explain", "model"] as const;
const DECIDED = [...JUDGED, "options", "expert", "min_conf", "max_error"] as const;

/** What a body that is no object asks for. */
const NOTHING: DecisionOrder = {
  state: "",
  context: "",
  explain: 0,
  options: null,
  expert: null,
  minConf: null,
  maxError: null,
};

/** For noul and score. What it returns counts only when `faults` has none. */
export function readJudgement(body: unknown, faults: Faults): Judged {
  const place = wholeBody(faults);
  const object = readObject(body, place);
  if (object === null) return NOTHING;
  refuseUnknown(object, JUDGED, place);
  readModel(object["model"], at(place, "model"));
  return { ...readSituation(object, place), explain: readExplain(object["explain"], at(place, "explain")) };
}

/** For route, decide and assess. */
export function readDecision(body: unknown, faults: Faults): DecisionOrder {
  const place = wholeBody(faults);
  const object = readObject(body, place);
  if (object === null) return NOTHING;
  refuseUnknown(object, DECIDED, place);
  const situation = readSituation(object, place);
  const options = readOptions(object["options"], at(place, "options"));
  const expert = readPin(object, place);
  if (expert !== null && options?.kind === "vocabulary")
    fault(
      at(place, object["expert"] === undefined ? "model" : "expert"),
      "not_together",
      "An expert decides among its own routes: leave it out, or send `options` as a list of them.",
    );
  return {
    ...situation,
    explain: readExplain(object["explain"], at(place, "explain")),
    options,
    expert,
    ...readFloors(object, place),
  };
}

export function readSituation(object: Json, place: Place): Situation {
  const { state, messages } = object;
  const nothing = { state: "", context: "" };
  if (state !== undefined && messages !== undefined) {
    fault(at(place, "messages"), "not_together", "Send `state` or `messages`, not both.");
    return nothing;
  }
  if (messages !== undefined) return readMessages(messages, at(place, "messages"));
  if (state !== undefined)
    return { state: readText(state, { min: 1, max: STATE_MAX, isSaid: true }, at(place, "state")) ?? "", context: "" };
  fault(at(place, "state"), "missing", "`state` is missing, and so is `messages`: send one of them.");
  return nothing;
}

export function readMessages(value: unknown, place: Place): Situation {
  const nothing = { state: "", context: "" };
  const list = readList(value, { min: 1, max: MESSAGES_MAX, things: "messages" }, place);
  const said = list.map((one, index) => readMessage(one, at(place, index)));
  if (list.length === 0) return nothing;
  const total = said.reduce((sum, { text }) => sum + charactersOf(text), 0);
  if (total > MESSAGES_CHARACTERS_MAX)
    fault(place, "too_long", `Messages may have at most ${MESSAGES_CHARACTERS_MAX} characters together.`);
  const situation = situationOf(said);
  if (situation === null && !hasFaultAt(place))
    fault(place, "no_user_message", "One message at least must be of role `user`: it is what is judged.");
  if (situation !== null && !/\S/.test(situation.state)) {
    const last = at(
      at(
        place,
        said.findLastIndex(({ role }) => role === "user"),
      ),
      "content",
    );
    // What could not be read is no text either, and has been told.
    if (!hasFaultAt(last)) fault(last, "empty", "The last `user` message holds no text.");
  }
  return situation ?? nothing;
}

/** Message objects may carry whatever else clients put into them. */
function readMessage(value: unknown, place: Place): SaidMessage {
  const message = readObject(value, place);
  if (message === null) return { role: "system", text: "" };
  const role = readOneOf(message["role"], ROLES, at(place, "role"));
  if (message["content"] === undefined) fault(at(place, "content"), "missing", "`content` is missing.");
  return { role: role ?? "user", text: readContent(message["content"], canonicalJson, at(place, "content")) };
}

function readOptions(value: unknown, place: Place): Options | null {
  if (value === undefined) return null;
  const bounds = { min: 1, max: OPTIONS_MAX, things: "options" };
  if (Array.isArray(value)) return { kind: "routes", labels: readLabels(readList(value, bounds, place), place) };
  if (isObject(value)) {
    const entries = readEntries(value, bounds, place);
    return { kind: "vocabulary", entries: entries.map(([label, one]) => readOption(label, one, at(place, label))) };
  }
  fault(place, "wrong_type", "This must be a list of routes, or a map of labels to their descriptions.");
  return null;
}

function readLabels(list: readonly unknown[], place: Place): string[] {
  const seen = new Set<string>();
  for (const [index, value] of list.entries()) {
    const label = readLabel(value, at(place, index));
    if (label !== null && seen.has(label)) fault(at(place, index), "repeated", "This label is listed before.");
    if (label !== null) seen.add(label);
  }
  return [...seen];
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

export function readLabel(value: unknown, place: Place): string | null {
  const label = readText(value, { min: 1, max: ROUTE_LABEL_MAX }, place);
  if (label === null) return null;
  if (CONTROL.test(label)) fault(place, "wrong_form", "A label has no control characters.");
  else if (label.trim() !== label) fault(place, "wrong_form", "A label has no white space at its ends.");
  else return label;
  return null;
}

function readOption(label: string, value: unknown, place: Place): OptionEntry {
  readLabel(label, place);
  const nothing = { label, description: "", parameters: [], examples: [] };
  if (value === null) return nothing;
  if (typeof value === "string")
    return { ...nothing, description: readText(value, { max: OPTION_TEXT_MAX }, place) ?? "" };
  if (!isObject(value)) {
    fault(place, "wrong_type", "An option is described by a string, null, or an object.");
    return nothing;
  }
  refuseUnknown(value, ["description", "parameters", "examples"], place);
  const { description, parameters, examples } = value;
  return {
    label,
    description:
      description == null ? "" : (readText(description, { max: OPTION_TEXT_MAX }, at(place, "description")) ?? ""),
    parameters: readTexts(parameters, OPTION_PARAMETERS_MAX, at(place, "parameters")),
    examples: readTexts(examples, OPTION_EXAMPLES_MAX, at(place, "examples")),
  };
}

function readTexts(value: unknown, max: number, place: Place): string[] {
  if (value === undefined) return [];
  const list = readList(value, { min: 0, max, things: "texts" }, place);
  return list.map((one, index) => readText(one, { max: OPTION_TEXT_MAX }, at(place, index)) ?? "");
}

export function readExplain(value: unknown, place: Place): number {
  if (value === undefined || value === false) return 0;
  if (value === true) return EXPLAIN_DEFAULT;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= EXPLAIN_MAX) return value;
  fault(place, "wrong_type", `This must be true, false, or a whole number from 1 to ${EXPLAIN_MAX}.`);
  return 0;
}

export function readFloors({ min_conf: minConf, max_error: maxError }: Json, place: Place): Floors {
  return {
    minConf: readNumber(minConf, { min: 0, max: 1 }, at(place, "min_conf")),
    maxError: readNumber(maxError, { min: MAX_ERROR_LEAST, max: MAX_ERROR_MOST }, at(place, "max_error")),
  };
}

/** The expert that is named, by its own field or inside the model. */
export function readPin({ expert, model }: Json, place: Place): string | null {
  const byModel = readModel(model, at(place, "model"));
  if (expert === undefined) return byModel;
  const byName = readText(expert, { min: 1, max: 64 }, at(place, "expert"));
  if (byName !== null && byModel !== null && byName !== byModel)
    fault(at(place, "model"), "not_together", "`model` names another expert than `expert`.");
  return byName;
}

function readModel(value: unknown, place: Place): string | null {
  if (value === undefined) return null;
  const model = readText(value, { max: MODEL_MAX }, place);
  return model !== null && model.startsWith(MODEL_PREFIX) && model !== MODEL_PREFIX
    ? model.slice(MODEL_PREFIX.length)
    : null;
}
