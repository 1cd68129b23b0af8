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

/** Null without a user message. Messages after the last user message are ignored. */
export function situationOf(messages: readonly ChatMessage[]): Situation | null {
  const last = messages.findLastIndex(({ role }) => role === "user");
  if (last < 0) return null;
  const before = messages.slice(0, last).map(({ text }) => text);
  return { state: messages[last].text, context: joined(before) };
}

export function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}
