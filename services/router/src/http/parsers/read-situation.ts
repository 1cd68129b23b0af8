/** Reads the text to decide: a state, or messages whose content is a string or text and JSON parts. */
import {
  canonicalJson,
  JSON_PART_MEMBERS,
  JSON_PARTS,
  MESSAGES_CHARACTERS_MAX,
  TEXT_PARTS,
  type BodyOf,
  type noul,
} from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import { isRecord } from "@triptych/util";
import { joined, situationOf, type Situation } from "../../domain/conversation.ts";
import { charactersOf, objectsIn } from "./rules.ts";

type JudgementBody = BodyOf<typeof noul>;
type Messages = JudgementBody["messages"];

const NOTHING: Situation = { state: "", context: "" };

export function readSituation({ state, messages }: Sent, path: string, errors: ValidationErrors): Situation {
  if (messages !== undefined) return readMessages(messages, `${path}/messages`, errors);
  return { state: state ?? "", context: "" };
}

type Sent = Pick<JudgementBody, "state" | "messages">;

/** Unknown members of messages are ignored, because clients add their own. */
export function readMessages(messages: Messages, path: string, errors: ValidationErrors): Situation {
  const read = objectsIn(messages, path, errors).map(({ entry: { role, content }, path }) => ({
    role,
    text: errors.isValid(path) ? readContent(content, canonicalJson, { path: `${path}/content`, errors }) : "",
  }));
  if (!errors.isValid(path)) return NOTHING;
  const total = read.reduce((sum, { text }) => sum + charactersOf(text), 0);
  if (total > MESSAGES_CHARACTERS_MAX)
    errors.add({
      path,
      reason: "too_long",
      message: `Messages may have at most ${MESSAGES_CHARACTERS_MAX} characters together.`,
    });
  const situation = situationOf(read);
  if (situation === null) errors.add(noUserMessage(path));
  else if (!/\S/.test(situation.state)) {
    const last = read.findLastIndex(({ role }) => role === "user");
    const message = "The last `user` message contains no text.";
    errors.add({ path: `${path}/${last}/content`, reason: "empty", message });
  }
  return situation ?? NOTHING;
}

export function noUserMessage(path: string) {
  const message = "At least one message must have the role `user`: the last one is classified.";
  return { path, reason: "no_user_message", message };
}

export interface Place {
  readonly path: string;
  readonly errors: ValidationErrors;
}

/** Converts a JSON part to text; depends on the API. */
type JsonAsText = (value: unknown) => string;

/** Reads the text of a message's content. Images are rejected. */
export function readContent(content: unknown, asText: JsonAsText, { path, errors }: Place): string {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (Array.isArray(content))
    return joined(content.map((part, index) => readPart(part, asText, { path: `${path}/${index}`, errors })));
  errors.add({ path, reason: "type", message: "This must be text or a list of parts." });
  return "";
}

function readPart(part: unknown, asText: JsonAsText, { path, errors }: Place): string {
  const type = isRecord(part) ? part["type"] : undefined;
  if (!isRecord(part) || typeof type !== "string") {
    errors.add({ path, reason: "type", message: "A part must be an object with a `type`." });
    return "";
  }
  if (includesType(TEXT_PARTS, type)) return readPartText(part["text"], { path: `${path}/text`, errors });
  if (type === "refusal") return readPartText(part["refusal"], { path: `${path}/refusal`, errors });
  if (includesType(JSON_PARTS, type)) {
    const member = JSON_PART_MEMBERS.find((name) => part[name] !== undefined);
    if (member !== undefined) return asText(part[member]);
    const members = JSON_PART_MEMBERS.map((name) => `\`${name}\``).join(" or ");
    errors.add({ path, reason: "required", message: `A JSON part must have ${members}.` });
    return "";
  }
  const what = /image|box/.test(type) ? "Images are not supported" : "Unknown part type";
  const message = `${what}: send ${[...TEXT_PARTS, ...JSON_PARTS].join(", ")}.`;
  errors.add({ path: `${path}/type`, reason: "enum", message });
  return "";
}

function readPartText(text: unknown, { path, errors }: Place): string {
  if (typeof text === "string") return text;
  errors.add({ path, reason: text === undefined ? "required" : "type", message: "This must be text." });
  return "";
}

function includesType(types: readonly string[], type: string): boolean {
  return types.includes(type);
}
