/**
 * Heads on a sentence encoder. It is asynchronous, so texts are encoded in advance. Tokens come from the tokenizer of
 * the trunk, so the lexical part is the same on every base model.
 */
import type { Evidence } from "../head/explain-head.ts";
import { openHeadOn, type Head } from "../head/load-head.ts";
import { tokenise } from "../text/tokenise.ts";
import type { Encoding, HeadTrunk } from "../trunk/trunk.ts";
import { ENCODER_BATCH_MAX, withContext, type SentenceEncoder, type SentenceVector } from "./sentence-encoder.ts";

/** Throws an ArtifactError; `trunk_mismatch` if the head belongs to another base model. */
export function openEncoderHead(bytes: Uint8Array, { sha256 }: Pick<SentenceEncoder, "sha256">): Head {
  const head = openHeadOn(bytes, { sha256, explain: explainSentence, knows: () => true });
  return {
    ...head,
    via: "onnx",
    decide: (encoding, among) => head.decide(onSentence(encoding), among),
    explain: (encoding, pair) => head.explain(onSentence(encoding), pair),
  };
}

function onSentence(encoding: Encoding): Encoding {
  if (encoding.sentence === undefined)
    throw new Error("A head on a sentence encoder got a text that was not encoded for it.");
  return { ...encoding, vector: encoding.sentence };
}

function explainSentence(
  { vector }: Encoding,
  { direction, scale }: { readonly direction: Float64Array; readonly scale: number },
): Evidence[] {
  let sum = 0;
  for (let d = 0; d < vector.length; d++) sum += direction[d] * vector[d];
  return [{ feature: "sentence", kind: "signal", weight: 1, contribution: sum * scale }];
}

export interface TextToEncode {
  readonly text: string;
  readonly context?: string;
}

/** A trunk that knows only the given texts, for trainings: they encode all texts in advance, in batches. */
export async function encodedAhead(
  encoder: Pick<SentenceEncoder, "sha256" | "dims" | "encodeBatch">,
  texts: readonly TextToEncode[],
): Promise<HeadTrunk> {
  const { sha256, dims } = encoder;
  const vectors = await vectorsOf(encoder, texts);
  const vectorOf = (text: string) => {
    const vector = vectors.get(text);
    if (vector === undefined) throw new Error("A text was not encoded ahead.");
    return vector;
  };
  const encodings = new Map<string, Encoding>();
  for (const { text, context = "" } of texts) {
    const key = keyOf(text, context);
    if (encodings.has(key)) continue;
    const encoded = context === "" ? vectorOf(text) : withContext(vectorOf(text), vectorOf(context));
    encodings.set(key, encodingOf(text, context, encoded));
  }
  return {
    sha256,
    dims,
    word: null,
    encode(state, context = "") {
      const encoding = encodings.get(keyOf(state, context));
      if (encoding === undefined) throw new Error("A text was not encoded ahead.");
      return encoding;
    },
  };
}

/** Sorts the texts by length, so that the batches do not depend on their order and need little padding. */
async function vectorsOf(encoder: Pick<SentenceEncoder, "encodeBatch">, texts: readonly TextToEncode[]) {
  const distinct = new Set(texts.flatMap(({ text, context = "" }) => (context === "" ? [text] : [text, context])));
  const sorted = [...distinct].toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const vectors = new Map<string, SentenceVector>();
  for (let from = 0; from < sorted.length; from += ENCODER_BATCH_MAX) {
    const batch = sorted.slice(from, from + ENCODER_BATCH_MAX);
    const encoded = await encoder.encodeBatch(batch);
    for (const [index, text] of batch.entries()) vectors.set(text, encoded[index]);
  }
  return vectors;
}

function keyOf(text: string, context: string): string {
  return JSON.stringify([context, text]);
}

function encodingOf(
  text: string,
  context: string,
  { vector, truncated }: { vector: Float64Array; truncated: boolean },
) {
  const { tokens, count } = tokenise(text);
  const before = tokenise(context);
  return {
    state: text,
    vector,
    length: 1,
    tokens,
    contextTokens: before.tokens,
    count: count + before.count,
    truncated,
  };
}
