/** Builds the request body from the form. */
import type { Operation } from "./api.ts";

export interface Form {
  readonly operation: Operation;
  readonly text: string;
  readonly asMessages: boolean;
  /** Empty for the router's choice, `options` for custom options, else the name of an expert. */
  readonly decider: string;
  /** The expert to compare with, in the same form; null if nothing is compared. */
  readonly otherDecider: string | null;
  readonly options: string;
  readonly minConf: string;
  readonly maxError: string;
}

interface Message {
  readonly role: string;
  readonly content: string;
}

/** `noul` and `score` rate the text itself and have no options. */
export function choosesRoute(operation: Operation): boolean {
  return operation !== "noul" && operation !== "score";
}

export function bodyOf({ operation, text, asMessages, decider, ...form }: Form): Readonly<Record<string, unknown>> {
  const judged = asMessages ? { messages: messagesOf(text) } : { state: text };
  if (!choosesRoute(operation)) return judged;
  return {
    ...judged,
    ...(decider === "options" ? { options: vocabularyOf(form.options) } : decider !== "" && { expert: decider }),
    ...(form.minConf !== "" && { min_conf: Number(form.minConf) }),
    ...(form.maxError !== "" && { max_error: Number(form.maxError) }),
  };
}

/** For a conversation, this is the user's last message. */
export function decidedText({ text, asMessages }: Pick<Form, "text" | "asMessages">): string {
  if (!asMessages) return text;
  return messagesOf(text).findLast(({ role }) => role === "user")?.content ?? "";
}

/** A line without a role continues the previous message. */
export function messagesOf(text: string): readonly Message[] {
  const messages: { role: string; content: string }[] = [];
  for (const line of text.split("\n")) {
    const [, role, content] = /^\s*(system|developer|user|assistant|tool)\s*:\s?(.*)$/i.exec(line) ?? [];
    const last = messages.at(-1);
    if (role !== undefined) messages.push({ role: role.toLowerCase(), content: content ?? "" });
    else if (last !== undefined) last.content += `\n${line}`;
    else if (line.trim() !== "") messages.push({ role: "user", content: line });
  }
  return messages;
}

/** One option per line; the part before the first colon is the label. */
function vocabularyOf(text: string): Readonly<Record<string, string | null>> {
  const lines = text.split("\n").map((line) => line.trim());
  return Object.fromEntries(
    lines
      .filter((line) => line !== "")
      .map((line) => {
        const colon = line.indexOf(":");
        return colon < 0 ? [line, null] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim() || null];
      }),
  );
}
