/** Splits a conversation: the last user message is the state, the messages before it are the context. */
import type { Role } from "@triptych/contracts";

export interface ChatMessage {
  readonly role: Role;
  readonly text: string;
}

export interface Situation {
  readonly state: string;
  readonly context: string;
}

/** Null if there is no user message. Messages after the last user message are ignored. */
export function situationOf(messages: readonly ChatMessage[]): Situation | null {
  const last = messages.findLastIndex(({ role }) => role === "user");
  if (last < 0) return null;
  const before = messages.slice(0, last).map(({ text }) => text);
  return { state: messages[last].text, context: joined(before) };
}

export function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

/** Serializes JSON as plain text in a fixed order, without JSON punctuation, which would distort the decision. */
export function flattenJson(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(flattenJson).filter(isText).join("\n");
  if (typeof value === "object")
    return Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, flattenJson(member)].filter(isText).join(" "))
      .join("\n");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isText(text: string): boolean {
  return text !== "";
}
