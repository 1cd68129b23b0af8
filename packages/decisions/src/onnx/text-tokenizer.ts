/**
 * Tokenizes texts as configured in `tokenizer.json` (WordPiece, BPE, Unigram), with the optional package
 * `@huggingface/tokenizers`. Special tokens in a text ("[MASK]") are treated as plain text, so that callers cannot
 * control the model.
 */
import { EncoderError, firstLine, importOptional, memberOf } from "./optional-module.ts";

export interface TextTokenizer {
  /** WordPiece, BPE or Unigram. */
  readonly kind: string;
  /** The token that pads shorter texts of a batch; the attention mask excludes it. */
  readonly padId: number;
  /** The token IDs, including the opening and closing ones: at least one, and at most as many as the model accepts. */
  read(text: string): { readonly ids: readonly number[]; readonly truncated: boolean };
}

export const TOKENIZER_LIBRARY = "@huggingface/tokenizers";
const INSTALL = `npm i ${TOKENIZER_LIBRARY}`;
const KINDS = ["WordPiece", "BPE", "Unigram"];

/** Of longer texts, only the beginning and the end are read, in the same proportion as by the trunk. */
const TOKENS_MAX = 256;
const BEGINNING = 3 / 4;

interface Library {
  readonly Tokenizer: new (
    file: Members,
    config: Members,
  ) => {
    encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: readonly unknown[] };
  };
}

type Members = { readonly [name: string]: unknown };

export async function openTokenizer(bytes: Uint8Array, library: string = TOKENIZER_LIBRARY): Promise<TextTokenizer> {
  const file = jsonIn(bytes);
  const kind = String(memberOf(file["model"], "type"));
  if (!KINDS.includes(kind)) throw unusable(`its model is ${kind}, but only ${KINDS.join(", ")} are supported`);
  const { Tokenizer } = libraryOf(await importOptional({ label: TOKENIZER_LIBRARY, name: library, install: INSTALL }));
  const encoderOf = (definition: Members) => {
    try {
      const tokenizer = new Tokenizer(definition, {});
      return (text: string, withSpecial: boolean) =>
        idsIn(tokenizer.encode(text, { add_special_tokens: withSpecial }).ids);
    } catch (error) {
      throw unusable(firstLine(error), error);
    }
  };
  const complete = {
    added_tokens: [],
    decoder: null,
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    ...file,
  };
  const { before, after } = frameOf(encoderOf(complete));
  // The special tokens are removed from the tokenizer, so that their names in a text are split like other words.
  const encode = encoderOf({
    ...complete,
    added_tokens: listOf(file["added_tokens"]).filter((token) => memberOf(token, "special") !== true),
  });
  const capacity = Math.max(1, limitOf(file) - before.length - after.length);
  return {
    kind,
    padId: numberOf(memberOf(file["padding"], "pad_id")) ?? 0,
    read(text) {
      const all = encode(text.toWellFormed(), false);
      const first = Math.ceil(BEGINNING * capacity);
      const isLonger = all.length > capacity;
      const read = isLonger ? [...all.slice(0, first), ...all.slice(all.length - (capacity - first))] : all;
      const ids = [...before, ...read, ...after];
      return { ids: ids.length === 0 ? [0] : ids, truncated: isLonger };
    },
  };
}

/** Finds the tokens around every text by encoding one text with and without them. */
function frameOf(encode: (text: string, withSpecial: boolean) => readonly number[]) {
  const [inner, outer] = [encode("a", false), encode("a", true)];
  const start = outer.findIndex((_, index) => inner.every((id, offset) => outer[index + offset] === id));
  if (start < 0) throw unusable("its opening and closing tokens use an unsupported format");
  return { before: outer.slice(0, start), after: outer.slice(start + inner.length) };
}

function limitOf(file: Members): number {
  return Math.min(TOKENS_MAX, numberOf(memberOf(file["truncation"], "max_length")) ?? TOKENS_MAX);
}

/** The library returns undefined for an unknown token that has no ID. */
function idsIn(ids: readonly unknown[]): readonly number[] {
  return ids.map((id) => {
    if (typeof id === "number" && Number.isInteger(id) && id >= 0) return id;
    throw unusable("its vocabulary has no unknown token");
  });
}

function libraryOf(module: unknown): Library {
  if (isLibrary(module)) return module;
  throw new EncoderError(`${TOKENIZER_LIBRARY} is installed in an unknown version. Install it: ${INSTALL}`);
}

function isLibrary(module: unknown): module is Library {
  return typeof memberOf(module, "Tokenizer") === "function";
}

function unusable(reason: string, cause?: unknown): EncoderError {
  return new EncoderError(`The tokenizer.json of the sentence encoder cannot be used: ${reason}.`, { cause });
}

function jsonIn(bytes: Uint8Array): Members {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
  } catch (error) {
    throw new EncoderError("The tokenizer.json of the sentence encoder is not valid JSON.", { cause: error });
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}
