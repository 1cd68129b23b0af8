/** Shipped experts and options on texts that the trunk cannot read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadBundledModels, trainHead, loadHead, type OptionEntry } from "../src/index.ts";
import { isReadable } from "../src/text/readable.ts";

const { trunk, experts, options } = loadBundledModels();
const UNREAD = [
  "???",
  "¿?",
  "!!! ??? ...",
  "🙂🙂?",
  "который час?",
  "какая погода завтра в Москве?",
  "私は誰ですか?",
  "今天天气怎么样？",
  "τι ώρα είναι;",
  "오늘 날씨 어때?",
  "ما هو الطقس؟",
  "מה השעה?",
];
const READ = ["what is 12 * 7", "quelle heure est-il ?", "Wetter?", "réservé à l'été", "call Дмитрий tomorrow", "12"];

function option(label: string, description: string): OptionEntry {
  return { label, description, parameters: [], examples: [] };
}

test("a text of symbols or another script is out of scope of every shipped expert", () => {
  assert.ok(experts.size > 0);
  for (const [name, head] of experts)
    for (const text of UNREAD) {
      const { outOfScope, confidence } = head.decide(trunk.encode(text));
      assert.equal(outOfScope, true, `${name}: ${text}`);
      assert.ok(confidence <= 1 / head.routes.length, `${name}: ${text}`);
    }
});

test("a text of symbols or another script fits no option described in English", () => {
  const vocabulary = options.vocabulary([
    option("get_weather", "Tells the weather of a place"),
    option("delete_account", "Deletes the account of the caller"),
  ]);
  for (const text of UNREAD) {
    const { outOfScope, confidence } = options.decide(trunk.encode(text), vocabulary);
    assert.equal(outOfScope, true, text);
    assert.ok(confidence <= 0.5, text);
  }
});

test("keyboard noise is unreadable, but long words and abbreviations are not", () => {
  const reads = (text: string) => isReadable(trunk.encode(text).tokens, () => false);
  for (const text of ["asdfgh jklqwe", "sdkjfh ksdjfh", "zzzz", "qwertyuiop"]) assert.equal(reads(text), false, text);
  for (const text of ["Rechtschreibung", "strengths", "npm run", "pdf", "rhythm", "property", "lengthwise", "grrr ok"])
    assert.equal(reads(text), true, text);
});

test("options described in the script of the request can be chosen", () => {
  const vocabulary = options.vocabulary([
    option("weather", "погода и прогноз погоды"),
    option("time", "который час и текущее время"),
  ]);
  const knows = (word: string) =>
    vocabulary.options.some(({ stems }) => stems.some(({ left }) => left === word.slice(0, 5)));
  assert.equal(isReadable(trunk.encode("прогноз погоды").tokens, knows), true);
  assert.equal(isReadable(trunk.encode("купить билет").tokens, knows), false);
});

test("reads Latin script, numbers and a foreign name in an English sentence", () => {
  for (const text of READ)
    assert.equal(
      isReadable(trunk.encode(text).tokens, () => false),
      true,
      text,
    );
});

test("a head trained on another script reads its words", () => {
  const phrases = {
    weather: ["какая погода", "будет дождь", "прогноз погоды", "холодно на улице", "погода завтра"],
    time: ["который час", "сколько времени", "точное время", "скажи время", "время сейчас"],
  };
  const examples = Object.entries(phrases).flatMap(([route, texts]) =>
    texts.map((text) => ({ text, route, group: text })),
  );
  const routes = Object.keys(phrases).map((route) => ({ route }));
  const head = loadHead(trainHead(trunk, { name: "russian", routes, examples }).bytes, trunk);
  assert.equal(head.decide(trunk.encode("какая погода завтра")).outOfScope, false);
  assert.equal(head.decide(trunk.encode("今天天气怎么样")).outOfScope, true);
});
