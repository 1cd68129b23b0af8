import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readIntents } from "../training/corpora/read-intents.ts";
import { cleanRows, countsOf, fewShot, OUTSIDE_LABEL, skewed, splitCorpus } from "../training/corpora/split-corpus.ts";

const folder = mkdtempSync(join(tmpdir(), "corpora-"));
after(() => rmSync(folder, { recursive: true }));

function read(file: string, content: string) {
  writeFileSync(join(folder, file), content);
  const rows = readIntents(folder);
  rmSync(join(folder, file));
  return rows;
}

test("reads intents of a Rasa YAML file without entities and without rules", () => {
  const yaml = `version: "3.1"
nlu:
- intent: book
  examples: |
    - a table for [two](number) at [noon]{"entity": "time"}
    - book a table
- synonym: two
  examples: |
    - 2
rules:
- rule: greet`;
  assert.deepEqual(read("nlu.yml", yaml), [
    { text: "a table for two at noon", label: "book" },
    { text: "book a table", label: "book" },
  ]);
});

test("reads intents of a Rasa Markdown file and ignores lookups", () => {
  const markdown = "## intent:bye\n- see you\n* so long\n\n## lookup:city\n- Brest\n";
  assert.deepEqual(read("nlu.md", markdown), [
    { text: "see you", label: "bye" },
    { text: "so long", label: "bye" },
  ]);
});

test("reads nested entities of LUIS and skips its patterns", () => {
  const luis = "> comment\n## Send\n- write {Name=to {First=Ann}}\n- ^i (want|like) to send\n- send {@file}\n";
  assert.deepEqual(read("email.lu", luis), [{ text: "write to Ann", label: "Send" }]);
});

test("reads the questions of QnA Maker without the answer", () => {
  const qna = "## ? who are you\n- your name\n\n```markdown\n- an answer\n```\n";
  assert.deepEqual(read("chat.qna", qna), [{ text: "your name", label: "who are you" }]);
});

test("reads nlp.js corpora and files of tags and patterns", () => {
  const nlp = { data: [{ intent: "hi", utterances: ["hello"], tests: ["hey"] }] };
  assert.deepEqual(read("corpus.json", JSON.stringify(nlp)), [
    { text: "hello", label: "hi" },
    { text: "hey", label: "hi" },
  ]);
  const tags = { intents: [{ tag: "fees", patterns: ["how much", "  the  price "], responses: ["a lot"] }] };
  assert.deepEqual(read("intents.json", JSON.stringify(tags)), [
    { text: "how much", label: "fees" },
    { text: "the price", label: "fees" },
  ]);
});

test("drops texts with two labels, repeated texts and held-back texts", () => {
  const rows = [
    { text: "one", label: "a" },
    { text: "One!", label: "a" },
    { text: "two", label: "a" },
    { text: "TWO", label: "b" },
    { text: "three", label: "b" },
    { text: "???", label: "b" },
  ];
  assert.deepEqual(
    cleanRows(rows, (text) => text === "three"),
    [{ text: "one", label: "a" }],
  );
});

const LABELS = Array.from({ length: 12 }, (_, label) => `label ${label}`);
const corpus = LABELS.flatMap((label) =>
  Array.from({ length: 40 }, (_, index) => ({ text: `${label} number ${index}`, label })),
);
const fallback = Array.from({ length: 5 }, (_, index) => ({ text: `nonsense ${index}`, label: "out_of_scope" }));
const strangers = Array.from({ length: 500 }, (_, index) => ({ text: `stranger ${index}`, label: "other bot" }));

test("splits by hash, so that the order of the rows does not matter", () => {
  const { train, test: judged } = splitCorpus([...corpus, ...fallback], strangers);
  const again = splitCorpus([...corpus, ...fallback].toReversed(), strangers);
  const sorted = (rows: typeof train) => rows.map(({ text }) => text).toSorted();
  assert.deepEqual(sorted(again.train), sorted(train));
  assert.deepEqual(sorted(again.test), sorted(judged));
});

test("a test has 40 % out-of-scope rows, the bot's own fallback texts first", () => {
  const { train, test: judged } = splitCorpus([...corpus, ...fallback], strangers);
  const outside = judged.filter(({ label }) => label === OUTSIDE_LABEL);
  assert.ok(Math.abs(outside.length / judged.length - 0.4) < 0.01, `${outside.length} of ${judged.length}`);
  assert.equal(outside.filter(({ text }) => text.startsWith("nonsense")).length, fallback.length);
  assert.ok(train.every(({ label }) => LABELS.includes(label)));
});

test("few-shot sets have two to four texts per label and the same test", () => {
  const split = splitCorpus(corpus, strangers);
  const few = fewShot(split);
  for (const count of countsOf(few.train).values()) assert.ok(count >= 2 && count <= 4, String(count));
  assert.equal(few.test, split.test);
});

test("skewed sets have two texts of the rarest label and many of others", () => {
  const counts = [...countsOf(skewed(splitCorpus(corpus, strangers)).train).values()];
  assert.equal(Math.min(...counts), 2);
  assert.ok(Math.max(...counts) >= 20, String(Math.max(...counts)));
});
