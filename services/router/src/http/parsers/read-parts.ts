/** Message content as text: a string, or text and JSON parts. Images are refused. */
import { JSON_PART_MEMBERS, JSON_PARTS, TEXT_PARTS } from "@triptych/contracts";
import { joined } from "../../domain/conversation.ts";
import { at, issue, isObject, type Json, type JsonPointer } from "./json-pointer.ts";

/** Converts a JSON part to text; differs by wire. */
export type JsonAsText = (value: unknown) => string;

export function readContent(content: unknown, asText: JsonAsText, pointer: JsonPointer): string {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (Array.isArray(content)) return joined(content.map((part, index) => readPart(part, asText, at(pointer, index))));
  issue(pointer, "wrong_type", "This must be a string or a list of parts.");
  return "";
}

function readPart(part: unknown, asText: JsonAsText, pointer: JsonPointer): string {
  const type = isObject(part) ? part["type"] : undefined;
  if (!isObject(part) || typeof type !== "string") {
    issue(pointer, "wrong_type", "A part must be an object with a `type`.");
    return "";
  }
  if (includesType(TEXT_PARTS, type)) return readPartText(part["text"], at(pointer, "text"));
  if (includesType(JSON_PARTS, type)) return readPartJson(part, asText, pointer);
  if (type === "refusal") return readPartText(part["refusal"], at(pointer, "refusal"));
  const what = /image|box/.test(type) ? "Images are not supported" : "Unknown part type";
  issue(at(pointer, "type"), "not_allowed", `${what}: send ${[...TEXT_PARTS, ...JSON_PARTS].join(", ")}.`);
  return "";
}

function readPartText(text: unknown, pointer: JsonPointer): string {
  if (typeof text === "string") return text;
  issue(pointer, text === undefined ? "missing" : "wrong_type", "This must be a string.");
  return "";
}

function readPartJson(part: Json, asText: JsonAsText, pointer: JsonPointer): string {
  const member = JSON_PART_MEMBERS.find((name) => part[name] !== undefined);
  if (member !== undefined) return asText(part[member]);
  issue(pointer, "missing", `A JSON part must have ${JSON_PART_MEMBERS.map((name) => `\`${name}\``).join(" or ")}.`);
  return "";
}

function includesType(types: readonly string[], type: string): boolean {
  return types.includes(type);
}
