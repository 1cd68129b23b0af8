/** Hugging Face folders with a small vocabulary and a model for the fake runtime. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { TOPICS } from "./small-trunk.ts";
import type { StandInModel } from "./stand-in-onnx.ts";

export const STAND_IN = new URL("./stand-in-onnx.ts", import.meta.url).href;

const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
const LETTERS = "abcdefghijklmnopqrstuvwxyz".split("");

/** The words of the topics, and letters for all others. */
export function topicWords(): string[] {
  const words = Object.values(TOPICS).flat().join(" ").toLowerCase().match(/\w+/g) ?? [];
  return [...new Set([...words, ...LETTERS, ...LETTERS.map((letter) => `##${letter}`), ",", "?", ":"])];
}

/** tokenizer.json as published with BERT models. */
export function bertTokenizer(words: readonly string[]) {
  const vocab = Object.fromEntries([...SPECIAL, ...words].map((word, id) => [word, id]));
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  return {
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [special("[CLS]"), { Sequence: { id: "A", type_id: 0 } }, special("[SEP]")],
      pair: [],
      special_tokens: {
        "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
        "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
      },
    },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}

/** File names and contents; a complete encoder if absent. */
export async function encoderFolder(
  files: Readonly<Record<string, string>> = encoderFiles(),
): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-encoder-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

export function encoderFiles(model: StandInModel = {}): Readonly<Record<string, string>> {
  return { "model.onnx": JSON.stringify(model), "tokenizer.json": JSON.stringify(bertTokenizer(topicWords())) };
}
