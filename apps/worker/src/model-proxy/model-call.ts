/**
 * What a request to a model is: which of the known calls, of which model, and how much it may use at most. What is none of them is not
 * let through: a key opens more than models, and a call that is not understood cannot be counted.
 */
import { Type } from "typebox";
import { Value } from "typebox/value";

export type Route = { readonly kind: "free" } | { readonly kind: "model"; readonly model: string | null };

/** `path`: below the provider's address, without the query. Null: not one of the calls that are let through. */
export function routeOf(method: string, path: string): Route | null {
  if (/[\\]|%2e|%2f|%5c|\/\.{1,2}(?:\/|$)|\/\//i.test(path)) return null;
  if (method === "GET") return /\/models(?:\/[^/]+)?$/.test(path) ? { kind: "free" } : null;
  if (method !== "POST") return null;
  if (/(?:\/messages\/count_tokens|\/models\/[^/]+:countTokens)$/.test(path)) return { kind: "free" };
  if (/(?:\/chat\/completions|\/responses(?:\/compact)?|\/messages)$/.test(path)) return { kind: "model", model: null };
  const gemini = /\/models\/(?<model>[^/]+):(?:generateContent|streamGenerateContent)$/.exec(path);
  return gemini === null ? null : { kind: "model", model: gemini.groups?.["model"] ?? null };
}

export interface Expected {
  readonly model: string | null;
  readonly inputTokens: number;
  /** As much as it may write at most. */
  readonly outputTokens: number;
  /** What it will read does not stand in it: nobody can say how much that is. */
  readonly isOpenEnded: boolean;
}

const whole = Type.Integer({ minimum: 0 });
const Body = Type.Object({
  model: Type.Optional(Type.String()),
  background: Type.Optional(Type.Unknown()),
  n: Type.Optional(whole),
  max_tokens: Type.Optional(whole),
  max_completion_tokens: Type.Optional(whole),
  max_output_tokens: Type.Optional(whole),
  generationConfig: Type.Optional(
    Type.Object({ maxOutputTokens: Type.Optional(whole), candidateCount: Type.Optional(whole) }),
  ),
});

/** No model writes more in one answer. */
const MOST_OUTPUT = 128_000;
/** Fewer than there are in any language or code: a reservation rather too large than too small. */
const BYTES_A_TOKEN = 2;
const BROUGHT_FROM_ELSEWHERE =
  /"(?:previous_response_id|conversation|prompt|cached_?content|file_?(?:id|uri|url|data)|image_url|url|input_image)"|web_?(?:search|fetch)|google_?search|url_?context|code_?(?:interpreter|execution)|"mcp/i;

/** Throws what is wrong with it. */
export function expectationOf(text: string, path: string, model: string | null): Expected {
  const body: unknown = JSON.parse(text);
  if (!Value.Check(Body, body)) throw new Error("the body is not that of a model call");
  if (body.background !== undefined && body.background !== false)
    throw new Error("an answer that is fetched later cannot be counted: `background` is not let through");
  // Each kind of call has its own name for it; another kind's would be ignored by the model.
  const most = path.endsWith("/chat/completions")
    ? (body.max_completion_tokens ?? body.max_tokens)
    : path.includes("/responses")
      ? body.max_output_tokens
      : path.endsWith("/messages")
        ? body.max_tokens
        : body.generationConfig?.maxOutputTokens;
  const answers = Math.max(1, body.n ?? body.generationConfig?.candidateCount ?? 1);
  return {
    model: model ?? body.model ?? null,
    inputTokens: Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN),
    outputTokens: Math.min(most ?? MOST_OUTPUT, MOST_OUTPUT) * answers,
    isOpenEnded: BROUGHT_FROM_ELSEWHERE.test(text),
  };
}
