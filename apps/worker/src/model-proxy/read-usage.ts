/**
 * Reads the usage from responses of the four APIs: OpenAI chat completions and responses, Anthropic messages, Gemini. Works on a copy
 * while the response streams to the agent.
 */
import { StringDecoder } from "node:string_decoder";
import { Type } from "typebox";
import { Value } from "typebox/value";
import type { TokenUsage } from "./spend-limit.ts";

export interface ResponseUsageParser {
  push(chunk: Buffer): void;
  /** Null if none was reported. */
  used(): TokenUsage | null;
  readonly bytes: number;
}

/** A longer response, or a longer line of a stream, is not parsed: its usage is estimated. */
const PARSED_LENGTH_MAX = 16 * 1024 * 1024;

export function createAnswerMeter({ isStream }: { readonly isStream: boolean }): ResponseUsageParser {
  const decoder = new StringDecoder("utf8");
  let text = "";
  let bytes = 0;
  let used: TokenUsage | null = null;

  return {
    get bytes() {
      return bytes;
    },
    push(chunk) {
      bytes += chunk.length;
      text += decoder.write(chunk);
      if (isStream) readLines();
      if (text.length > PARSED_LENGTH_MAX) text = "";
    },
    used() {
      if (isStream) readLine(text);
      else read(text);
      text = "";
      return used;
    },
  };

  function readLines(): void {
    const end = text.lastIndexOf("\n");
    if (end === -1) return;
    for (const line of text.slice(0, end).split("\n")) readLine(line);
    text = text.slice(end + 1);
  }

  function readLine(line: string): void {
    if (line.startsWith("data:") && line.includes("sage")) read(line.slice("data:".length));
  }

  function read(json: string): void {
    for (const item of parsed(json)) {
      const usage = usedIn(item);
      // Counts in a stream are cumulative: take the maximum, and merge fields of earlier events.
      if (usage !== null) used = used === null ? usage : larger(used, usage);
    }
  }
}

function parsed(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [];
  }
}

const whole = Type.Integer({ minimum: 0 });
const count = Type.Optional(Type.Union([whole, Type.Null()]));
const cachedIn = Type.Optional(Type.Union([Type.Object({ cached_tokens: count }), Type.Null()]));
const Usage = Type.Object({
  // OpenAI chat completions.
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: cachedIn,
  // OpenAI responses, and Anthropic messages.
  input_tokens: count,
  output_tokens: count,
  input_tokens_details: cachedIn,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
});
const GeminiUsage = Type.Object({
  promptTokenCount: count,
  toolUsePromptTokenCount: count,
  cachedContentTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
});
const withUsage = Type.Object({ usage: Usage });
const ModelResponse = Type.Union([
  withUsage,
  Type.Object({ response: withUsage }),
  Type.Object({ message: withUsage }),
  Type.Object({ usageMetadata: GeminiUsage }),
]);

function usedIn(answer: unknown): TokenUsage | null {
  if (!Value.Check(ModelResponse, answer)) return null;
  if ("usageMetadata" in answer) {
    const gemini = answer.usageMetadata;
    return {
      inputTokens: (gemini.promptTokenCount ?? 0) + (gemini.toolUsePromptTokenCount ?? 0),
      cachedTokens: gemini.cachedContentTokenCount ?? 0,
      outputTokens: (gemini.candidatesTokenCount ?? 0) + (gemini.thoughtsTokenCount ?? 0),
    };
  }
  const { usage } = "response" in answer ? answer.response : "message" in answer ? answer.message : answer;
  const anyCount = usage.prompt_tokens ?? usage.input_tokens ?? usage.completion_tokens ?? usage.output_tokens;
  if (anyCount === undefined || anyCount === null) return null;
  // Anthropic counts cached tokens separately, OpenAI as part of the total.
  const apart = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  const part = usage.prompt_tokens_details?.cached_tokens ?? usage.input_tokens_details?.cached_tokens ?? 0;
  return {
    inputTokens: (usage.prompt_tokens ?? usage.input_tokens ?? 0) + apart,
    cachedTokens: usage.cache_read_input_tokens ?? part,
    outputTokens: usage.completion_tokens ?? usage.output_tokens ?? 0,
  };
}

function larger(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: Math.max(one.inputTokens, other.inputTokens),
    cachedTokens: Math.max(one.cachedTokens, other.cachedTokens),
    outputTokens: Math.max(one.outputTokens, other.outputTokens),
  };
}
