import assert from "node:assert/strict";
import { test } from "node:test";
import { openTokenizer } from "../src/onnx/text-tokenizer.ts";
import { bertTokenizer } from "./support/encoder-folder.ts";

/** The vocabulary of BERT's published tests, and some more words. */
const WORDS = "want ##want ##ed wa un runn ##ing , hello how are you ! ? ah 博 推 zz".split(" ");

type Changes = Readonly<Record<string, unknown>>;

async function open(changes: Changes = {}) {
  const { read } = await openTokenizer(Buffer.from(JSON.stringify({ ...bertTokenizer(WORDS), ...changes })));
  const names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ...WORDS];
  return {
    read,
    split: (text: string) =>
      read(text)
        .ids.map((id) => names[id])
        .join(" "),
  };
}

test("tokenizes as BERT's published tests", async () => {
  const { split } = await open();
  for (const [text, pieces] of [
    ["UNwant\u00e9d,running", "un ##want ##ed , runn ##ing"],
    ["unwanted running", "un ##want ##ed runn ##ing"],
    ["unwantedX running", "[UNK] runn ##ing"],
    [" \tHeLLo!how  \n Are yoU?  ", "hello ! how are you ?"],
    ["H\u00e9llo", "hello"],
    ["ah\u535a\u63a8zz", "ah 博 推 zz"],
    ["", ""],
  ])
    assert.equal(split(text), ["[CLS]", pieces, "[SEP]"].filter((part) => part !== "").join(" "));
});

test("removes control characters, splits at every kind of space, and isolates ASCII symbols", async () => {
  const { split } = await open();
  assert.equal(split("he\u0000l\u200dl\ufffdo\u00a0how\u2003are\u3000you"), "[CLS] hello how are you [SEP]");
  assert.equal(split("hello$hello^you"), "[CLS] hello [UNK] hello [UNK] you [SEP]");
  assert.equal(split("hello\ud800"), "[CLS] hello [SEP]");
});

test("reads special tokens in a text as plain text", async () => {
  const token = { special: true, single_word: false, lstrip: false, rstrip: false, normalized: false };
  const added_tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map((content, id) => ({ id, content, ...token }));
  for (const changes of [{}, { added_tokens }])
    assert.equal((await open(changes)).split("[SEP]"), "[CLS] [UNK] [UNK] [UNK] [SEP]");
});

test("a word of 100 characters is split, and a longer one is unknown", async () => {
  const { split } = await open();
  assert.equal(split(`want${"ed".repeat(48)}`), `[CLS] want${" ##ed".repeat(48)} [SEP]`);
  assert.equal(split(`want${"ed".repeat(49)}`), "[CLS] [UNK] [SEP]");
});

test("reads beginning and end of a long text, up to the limit of the file and never more than 256 tokens", async () => {
  const { read, split } = await open({ truncation: { max_length: 10 } });
  assert.equal(split("hello want want want want want want you ?"), "[CLS] hello want want want want want you ? [SEP]");
  assert.deepEqual([read("hello ".repeat(8)).truncated, read("hello ".repeat(9)).truncated], [false, true]);
  assert.equal((await open()).read("hello ".repeat(300)).ids.length, 256);
  assert.equal((await open({ truncation: { max_length: 512 } })).read("hello ".repeat(600)).ids.length, 256);
});

/** Like multilingual MiniLM and e5: the most likely pieces of a word, with spaces as ▁. */
const UNIGRAM = {
  normalizer: { type: "NFKC" },
  pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: true },
  post_processor: {
    type: "TemplateProcessing",
    single: [
      { SpecialToken: { id: "<s>", type_id: 0 } },
      { Sequence: { id: "A", type_id: 0 } },
      { SpecialToken: { id: "</s>", type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      "<s>": { id: "<s>", ids: [0], tokens: ["<s>"] },
      "</s>": { id: "</s>", ids: [2], tokens: ["</s>"] },
    },
  },
  padding: { pad_id: 1 },
  model: {
    type: "Unigram",
    unk_id: 3,
    vocab: [
      ["<s>", 0],
      ["<pad>", 0],
      ["</s>", 0],
      ["<unk>", 0],
      ["▁il", -2],
      ["▁pleut", -3],
      ["▁ple", -5],
      ["ut", -2],
      ["▁", -6],
      ["p", -7],
    ],
  },
};

test("reads Unigram tokenizers, in which the most likely pieces win", async () => {
  const { read, kind, padId } = await openTokenizer(Buffer.from(JSON.stringify(UNIGRAM)));
  assert.deepEqual([kind, padId], ["Unigram", 1]);
  assert.deepEqual(read("il pleut").ids, [0, 4, 5, 2]);
  assert.deepEqual(read("il pleutut").ids, [0, 4, 5, 7, 2]);
  assert.deepEqual(read("il p").ids, [0, 4, 8, 9, 2]);
});

/** Like RoBERTa: bytes, merged in the order of the list. */
const BPE = {
  pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
  post_processor: {
    type: "RobertaProcessing",
    sep: ["</s>", 1],
    cls: ["<s>", 0],
    trim_offsets: true,
    add_prefix_space: false,
  },
  model: {
    type: "BPE",
    unk_token: "<unk>",
    vocab: { "<s>": 0, "</s>": 1, "<unk>": 2, r: 3, a: 4, i: 5, n: 6, ra: 7, in: 8, rain: 9, Ġ: 10 },
    merges: ["r a", "i n", "ra in"],
  },
};

test("reads BPE tokenizers, in which earlier merges win", async () => {
  const { read, kind } = await openTokenizer(Buffer.from(JSON.stringify(BPE)));
  assert.equal(kind, "BPE");
  assert.deepEqual(read("rain").ids, [0, 9, 1]);
  assert.deepEqual(read("ran in").ids, [0, 7, 6, 10, 8, 1]);
});

test("says in one sentence why a tokenizer cannot be used, or what must be installed", async () => {
  const refusal = async (file: string, library?: string) => {
    const error: unknown = await openTokenizer(Buffer.from(file), library).catch((thrown: unknown) => thrown);
    return error instanceof Error ? `${error.name}: ${error.message}` : "accepted";
  };
  const start = "EncoderError: The tokenizer.json of the sentence encoder";
  assert.equal(await refusal("no json"), `${start} is not valid JSON.`);
  assert.match(await refusal("{}"), /its model is undefined, but only WordPiece, BPE, Unigram are supported\.$/);
  assert.match(
    await refusal(JSON.stringify({ ...UNIGRAM, normalizer: { type: "Sorcery" } })),
    /cannot be used: .*Sorcery/,
  );
  assert.equal(
    await refusal(JSON.stringify(UNIGRAM), "absent-tokenizers"),
    "EncoderError: A sentence encoder requires @huggingface/tokenizers, which is not included in the router. Install it: npm i @huggingface/tokenizers",
  );
});
