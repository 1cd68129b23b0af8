/** A member's JSON answer, requested once more if it is invalid. */
import { Type, type Static, type TSchema } from "typebox";
import { Value } from "typebox/value";

export const Plan = Type.Object({
  summary: Type.String({ maxLength: 4_000 }),
  steps: Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), { minItems: 1, maxItems: 50 }),
});
export type Plan = Static<typeof Plan>;

export const Review = Type.Object({
  verdict: Type.Enum(["approve", "changes"]),
  comments: Type.Array(
    Type.Object({
      path: Type.String({ maxLength: 4_096 }),
      line: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
      text: Type.String({ minLength: 1, maxLength: 4_000 }),
    }),
    { maxItems: 50 },
  ),
});
export type Review = Static<typeof Review>;

/** The last valid JSON object in the messages; undefined if there is none. */
export function answerIn<S extends TSchema>(schema: S, messages: readonly string[]): Static<S> | undefined {
  for (const candidate of candidatesIn(messages.join("\n\n"))) {
    const value = parsed(candidate);
    if (Value.Check(schema, value)) return value;
  }
  return undefined;
}

const FENCED = /```(?:json)?[ \t]*\n([\s\S]*?)\n```/g;

/** Fenced blocks from the last one on, then from each brace at the start of a line to the last brace. */
function* candidatesIn(text: string): Generator<string> {
  const blocks = Array.from(text.matchAll(FENCED), ([, body = ""]) => body);
  yield* blocks.toReversed();
  const end = text.lastIndexOf("}");
  const begins = Array.from(text.matchAll(/(?:^|\n|[^{,:[\s]\s*)(\{)/g), ({ index, 0: all }) => index + all.length - 1);
  for (const begin of begins.toReversed().slice(0, PARSE_ATTEMPTS_MAX))
    if (begin < end) yield text.slice(begin, end + 1);
}

/** Each attempt parses the rest of the text. */
const PARSE_ATTEMPTS_MAX = 50;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
