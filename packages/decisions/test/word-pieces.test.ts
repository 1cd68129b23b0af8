import assert from "node:assert/strict";
import { test } from "node:test";
import { openWordPieces } from "../src/onnx/word-pieces.ts";
import { bertTokenizer } from "./support/encoder-folder.ts";

/** The vocabulary of BERT's published tests, and some more words. */
const WORDS = [
  "want",
  "##want",
  "##ed",
  "wa",
  "un",
  "runn",
  "##ing",
  ",",
  "hello",
  "how",
  "are",
  "you",
  "!",
  "?",
  "ah",
  "博",
  "推",
  "zz",
];

type Tokenizer = ReturnType<typeof bertTokenizer>;

function open(changes: { readonly [part in keyof Tokenizer]?: unknown } & { readonly truncation?: unknown } = {}) {
  const file = { ...bertTokenizer(WORDS), ...changes };
  const { read } = openWordPieces(Buffer.from(JSON.stringify(file)));
  const names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ...WORDS];
  return {
    read,
    split: (text: string) =>
      read(text)
        .ids.map((id) => names[id])
        .join(" "),
  };
}

test("tokenizes as BERT's published tests", () => {
  const { split } = open();
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

test("removes control characters, splits at every kind of space, and isolates ASCII symbols", () => {
  const { split } = open();
  assert.equal(split("he\u0000l\u200dl\ufffdo\u00a0how\u2003are\u3000you"), "[CLS] hello how are you [SEP]");
  assert.equal(split("hello$hello^you"), "[CLS] hello [UNK] hello [UNK] you [SEP]");
  assert.equal(split("hello\ud800"), "[CLS] hello [SEP]");
});

test("reads special tokens in a text as plain text", () => {
  assert.equal(open().split("[SEP]"), "[CLS] [UNK] [UNK] [UNK] [SEP]");
});

test("a word of more than 100 characters is unknown, one of 100 is split", () => {
  const { split } = open();
  assert.equal(split(`want${"ed".repeat(48)}`), `[CLS] want${" ##ed".repeat(48)} [SEP]`);
  assert.equal(split(`want${"ed".repeat(49)}`), "[CLS] [UNK] [SEP]");
});

test("reads beginning and end of a long text, up to the limit of the file and never more than 256 tokens", () => {
  const { read, split } = open({ truncation: { max_length: 10 } });
  assert.equal(split("hello want want want want want want you ?"), "[CLS] hello want want want want want you ? [SEP]");
  assert.deepEqual([read("hello ".repeat(8)).truncated, read("hello ".repeat(9)).truncated], [false, true]);
  assert.equal(open().read("hello ".repeat(300)).ids.length, 256);
  assert.equal(open({ truncation: { max_length: 512 } }).read("hello ".repeat(600)).ids.length, 256);
});

test("opens and closes a text in every supported format, or not at all", () => {
  const around = { cls: ["[CLS]", 2], sep: ["[SEP]", 3] };
  for (const type of ["BertProcessing", "RobertaProcessing"])
    assert.equal(open({ post_processor: { type, ...around } }).split("you"), "[CLS] you [SEP]");
  assert.equal(open({ post_processor: null }).split("you"), "you");
  assert.equal(open({ post_processor: null }).split(""), "[UNK]");
});

test("keeps accents and capitals if the file says so", () => {
  const normalizer = { type: "BertNormalizer", lowercase: false };
  assert.equal(open({ normalizer }).split("you You yo\u00fc"), "[CLS] you [UNK] [UNK] [SEP]");
});

test("rejects another kind of tokenizer with all its issues", () => {
  const refused = (changes: Parameters<typeof open>[0], ...issues: readonly string[]) =>
    assert.throws(
      () => open(changes),
      ({ name, message }: Error) => name === "EncoderError" && issues.every((issue) => message.includes(issue)),
    );
  refused(
    {
      model: { type: "BPE", vocab: {} },
      normalizer: null,
      pre_tokenizer: { type: "Metaspace" },
      post_processor: { type: "X" },
    },
    "its model is BPE",
    "its normalizer is absent",
    "its pre_tokenizer is Metaspace",
    "not a map of tokens",
    "no unknown token",
    "unsupported format",
  );
  refused({ model: { ...bertTokenizer([]).model, vocab: { "[UNK]": "one" } } }, "not a map of tokens to IDs");
  refused({ post_processor: { type: "BertProcessing", cls: ["[CLS]"] } }, "unsupported format");
  refused(
    { post_processor: { type: "TemplateProcessing", single: [{ SpecialToken: { id: "<s>" } }] } },
    "unsupported format",
  );
  assert.throws(() => openWordPieces(Buffer.from("{")), { name: "EncoderError", message: /is not valid JSON/ });
  assert.throws(() => openWordPieces(Buffer.from("null")), { name: "EncoderError" });
});
