/**
 * Parses a model request. Unknown calls are refused, because a key gives access to more than models and their usage could not be counted.
 */
import { Type } from "typebox";
import { Value } from "typebox/value";

export type Route = { readonly kind: "free" } | { readonly kind: "model"; readonly model: string | null };

/** `path`: below the provider's address, without the query. Null: the call is not allowed. */
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
  /** Maximum output tokens. */
  readonly outputTokens: number;
  /** The request refers to stored input of unknown size. */
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

/** No model writes more in one response. */
const OUTPUT_TOKENS_MAX = 128_000;
/** A lower bound of bytes per token for any language or code, so that reservations err on the large side. */
const BYTES_A_TOKEN = 2;
const BROUGHT_FROM_ELSEWHERE =
  /"(?:previous_response_id|conversation|prompt|cached_?content|file_?(?:id|uri|url|data)|image_url|url|input_image)"|web_?(?:search|fetch)|google_?search|url_?context|code_?(?:interpreter|execution)|"mcp/i;

export function expectationOf(text: string, path: string, model: string | null): Expected {
  const body: unknown = JSON.parse(text);
  if (!Value.Check(Body, body)) throw new Error("the body is not a valid model call");
  if (body.background !== undefined && body.background !== false)
    throw new Error("`background` is not allowed: the usage of a later response cannot be counted");
  // Each API has its own field; the model would ignore another API's.
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
    outputTokens: Math.min(most ?? OUTPUT_TOKENS_MAX, OUTPUT_TOKENS_MAX) * answers,
    isOpenEnded: BROUGHT_FROM_ELSEWHERE.test(text),
  };
}
