/**
 * BERT tokenization (WordPiece, Schuster & Nakajima 2012) as configured in `tokenizer.json`. Other tokenizers are
 * rejected, because wrong tokens give meaningless vectors. Special tokens in a text ("[MASK]") are plain text:
 * callers must not control the model.
 */
import { EncoderError } from "./onnx-runtime.ts";

export interface WordPieces {
  /** Token IDs including the opening and closing ones; at least one, and at most the limit of the model. */
  read(text: string): { readonly ids: readonly number[]; readonly truncated: boolean };
}

/** Longer texts are read at their beginning and end, in the same shares as by the trunk. */
const PIECES_MOST = 256;
const BEGINNING = 3 / 4;

type Members = { readonly [name: string]: unknown };

export function openWordPieces(bytes: Uint8Array): WordPieces {
  const file = jsonIn(bytes);
  const model = membersOf(file["model"]);
  const normalizer = membersOf(file["normalizer"]);
  const vocabulary = new Map(Object.entries(membersOf(model["vocab"])));
  const pieces = new Map([...vocabulary].filter((entry): entry is [string, number] => isId(entry[1])));
  const unknownId = pieces.get(textOf(model["unk_token"], "[UNK]"));
  const closing = idsAround(file, pieces);
  const issues = [
    ...wrongType("model", model["type"], "WordPiece"),
    ...wrongType("normalizer", normalizer["type"], "BertNormalizer"),
    ...wrongType("pre_tokenizer", membersOf(file["pre_tokenizer"])["type"], "BertPreTokenizer"),
    ...(pieces.size === 0 || pieces.size !== vocabulary.size ? ["its vocabulary is not a map of tokens to IDs"] : []),
    ...(unknownId === undefined ? ["its vocabulary has no unknown token"] : []),
    ...(closing === null ? ["its opening and closing tokens use an unsupported format"] : []),
  ];
  if (issues.length > 0 || unknownId === undefined || closing === null)
    throw new EncoderError(`The tokenizer.json of the sentence encoder cannot be used: ${issues.join("; ")}.`);

  const { before, after } = closing;
  const wordCharactersMax = numberOf(model["max_input_chars_per_word"], 100);
  const prefix = textOf(model["continuing_subword_prefix"], "##");
  const most = Math.min(PIECES_MOST, numberOf(membersOf(file["truncation"])["max_length"], PIECES_MOST));
  const capacity = Math.max(1, most - before.length - after.length);
  const normalise = normaliserOf(normalizer);

  return {
    read(text) {
      const all = wordsOf(normalise(text)).flatMap(piecesOf);
      const first = Math.ceil(BEGINNING * capacity);
      const isLonger = all.length > capacity;
      const read = isLonger ? [...all.slice(0, first), ...all.slice(all.length - (capacity - first))] : all;
      const ids = [...before, ...read, ...after];
      return { ids: ids.length === 0 ? [unknownId ?? 0] : ids, truncated: isLonger };
    },
  };

  /**
   * The longest token that the word starts with, then the longest continuation; a word with an unmatched rest is
   * unknown.
   */
  function piecesOf(word: string): number[] {
    const unknown = [unknownId ?? 0];
    if (Array.from(word).length > wordCharactersMax) return unknown;
    const found: number[] = [];
    for (let from = 0; from < word.length;) {
      let to = word.length;
      let id: number | undefined;
      while (to > from) {
        id = pieces.get((from === 0 ? "" : prefix) + word.slice(from, to));
        if (id !== undefined) break;
        to--;
      }
      if (id === undefined) return unknown;
      found.push(id);
      from = to;
    }
    return found;
  }
}

const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu;
const BLANK = /[\p{White_Space}]/gu;
/** Chinese has no spaces: each of these characters is a word. The blocks are those of the published BERT. */
const IDEOGRAPH =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const ACCENT = /\p{Mn}/gu;
/** Punctuation stands alone, including ASCII characters that Unicode classifies as symbols. */
const WORD = /[\p{P}$+<=>^`|~]|[^\p{P}$+<=>^`|~ ]+/gu;

function normaliserOf(normalizer: Members): (text: string) => string {
  const isOn = (name: string, otherwise: boolean) =>
    typeof normalizer[name] === "boolean" ? normalizer[name] : otherwise;
  const lowers = isOn("lowercase", true);
  const cleans = isOn("clean_text", true);
  const parts = isOn("handle_chinese_chars", true);
  const strips = isOn("strip_accents", lowers);
  return (text) => {
    // Tabs and line ends count as spaces before control characters are removed.
    let read = cleans ? text.replace(/[\t\n\r]/g, " ").replace(CONTROL, "") : text;
    if (parts) read = read.replace(IDEOGRAPH, " $& ");
    if (strips) read = read.normalize("NFD").replace(ACCENT, "");
    // By character, like the library that writes these files: a final sigma stays a sigma.
    return lowers ? Array.from(read, (letter) => letter.toLowerCase()).join("") : read;
  };
}

function wordsOf(text: string): readonly string[] {
  return text.replace(BLANK, " ").match(WORD) ?? [];
}

function idsAround(file: Members, pieces: ReadonlyMap<string, number>) {
  const processor = membersOf(file["post_processor"]);
  switch (processor["type"]) {
    case undefined:
      return { before: [], after: [] };
    case "BertProcessing":
    case "RobertaProcessing": {
      const [before, after] = [processor["cls"], processor["sep"]].map((pair) => listOf(pair).filter(isId));
      return before.length === 1 && after.length === 1 ? { before, after } : null;
    }
    case "TemplateProcessing":
      return idsOfTemplate(processor, pieces);
    default:
      return null;
  }
}

function idsOfTemplate(processor: Members, pieces: ReadonlyMap<string, number>) {
  const parts = listOf(processor["single"]).map(membersOf);
  const text = parts.findIndex((part) => "Sequence" in part);
  const ids = parts.map((part) => {
    const name = textOf(membersOf(part["SpecialToken"])["id"], "");
    const specialIds = listOf(membersOf(membersOf(processor["special_tokens"])[name])["ids"]).filter(isId);
    const id = pieces.get(name);
    return specialIds.length > 0 || id === undefined ? specialIds : [id];
  });
  const isWhole = ids.every((some, index) => index === text || some.length > 0);
  return text >= 0 && isWhole ? { before: ids.slice(0, text).flat(), after: ids.slice(text + 1).flat() } : null;
}

function wrongType(part: string, type: unknown, supported: string): string[] {
  return type === supported ? [] : [`its ${part} is ${textOf(type, "absent")}, but only ${supported} is supported`];
}

function jsonIn(bytes: Uint8Array): Members {
  try {
    return membersOf(JSON.parse(Buffer.from(bytes).toString("utf8")));
  } catch (error) {
    throw new EncoderError("The tokenizer.json of the sentence encoder is not valid JSON.", { cause: error });
  }
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : otherwise;
}

function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
