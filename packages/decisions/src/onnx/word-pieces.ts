/**
 * Texts as a BERT reads them: cleaned, cut at blanks and signs, each word cut into the longest pieces that the vocabulary has (WordPiece,
 * Schuster & Nakajima 2012). All of it is described by `tokenizer.json`; one that describes another way of reading is refused, with every
 * fault that it has, because texts read in another way than a model was trained on give vectors that mean nothing. What a text says of
 * special tokens ("[MASK]") is read as text: a caller must not speak to the model behind the router's back.
 */
import { EncoderFault } from "./encoder-error.ts";

export interface WordPieces {
  /** Ids of the pieces, those that open and close a text included; at least one, and no more than the model reads. */
  read(text: string): { readonly ids: readonly number[]; readonly truncated: boolean };
}

/** A longer text is read at its beginning and its end, in the shares in which the trunk does it. */
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
  const faults = [
    ...wrongType("model", model["type"], "WordPiece"),
    ...wrongType("normalizer", normalizer["type"], "BertNormalizer"),
    ...wrongType("pre_tokenizer", membersOf(file["pre_tokenizer"])["type"], "BertPreTokenizer"),
    ...(pieces.size === 0 || pieces.size !== vocabulary.size ? ["its vocabulary is not a map of pieces to ids"] : []),
    ...(unknownId === undefined ? ["its vocabulary has no piece for what is unknown"] : []),
    ...(closing === null ? ["what opens and closes a text is not said in a way that is known here"] : []),
  ];
  if (faults.length > 0 || unknownId === undefined || closing === null)
    throw new EncoderFault(`The tokenizer.json of the sentence encoder cannot be used: ${faults.join("; ")}.`);

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

  /** The longest piece that the word begins with, then the longest that goes on; a word with a rest that no piece begins is unknown. */
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
/** Chinese is written without blanks: each of these signs is a word. The blocks are those of the BERT that was published. */
const IDEOGRAPH =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const ACCENT = /\p{Mn}/gu;
/** A sign stands alone; what ASCII has of them counts even where Unicode calls it a symbol. */
const WORD = /[\p{P}$+<=>^`|~]|[^\p{P}$+<=>^`|~ ]+/gu;

function normaliserOf(normalizer: Members): (text: string) => string {
  const isOn = (name: string, otherwise: boolean) =>
    typeof normalizer[name] === "boolean" ? normalizer[name] : otherwise;
  const lowers = isOn("lowercase", true);
  const cleans = isOn("clean_text", true);
  const parts = isOn("handle_chinese_chars", true);
  const strips = isOn("strip_accents", lowers);
  return (text) => {
    // Tabs and ends of lines are blanks before they are control characters.
    let read = cleans ? text.replace(/[\t\n\r]/g, " ").replace(CONTROL, "") : text;
    if (parts) read = read.replace(IDEOGRAPH, " $& ");
    if (strips) read = read.normalize("NFD").replace(ACCENT, "");
    // Letter by letter, as the library does that writes these files: a sigma at the end of a word stays a sigma.
    return lowers ? Array.from(read, (letter) => letter.toLowerCase()).join("") : read;
  };
}

function wordsOf(text: string): readonly string[] {
  return text.replace(BLANK, " ").match(WORD) ?? [];
}

/** Ids that open and close a text; null where the file says it in another way. */
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
  return type === supported ? [] : [`its ${part} is ${textOf(type, "absent")}, and only ${supported} is read`];
}

function jsonIn(bytes: Uint8Array): Members {
  try {
    return membersOf(JSON.parse(Buffer.from(bytes).toString("utf8")));
  } catch (error) {
    throw new EncoderFault("The tokenizer.json of the sentence encoder is no JSON.", { cause: error });
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
