import assert from "node:assert/strict";
import { test } from "node:test";
import { xorshift } from "../src/math/xorshift.ts";
import { tokenise } from "../src/text/tokenise.ts";

const cases: readonly (readonly [string, string])[] = [
  ["What's the weather, Paris?", "what 's the weather paris ?"],
  ["I can't and don't", "i can n't and do n't"],
  ["L'heure qu'il est aujourd'hui", "l' heure qu' il est aujourd' hui"],
  ["Où est l’été ?", "ou est l' ete ?"],
  ["getWeather get_weather HTTPServer", "get weather get weather httpserver"],
  ["12 + 3456 = 3468.5 €", "00 + 0000 = 0000 0 €"],
  ["mail me@example.org", "mail me @ example org"],
  ["ﬁle Ｗｉｄｅ", "file wide"],
  ["天気は？", "天気は ?"],
  ["", ""],
  ["…—", ""],
];

for (const [text, expected] of cases)
  test(`tokenizes "${text}" as "${expected}"`, () => {
    assert.equal(tokenise(text).tokens.join(" "), expected);
  });

test("reads a long text at its beginning and end", () => {
  const { tokens, count } = tokenise(Array.from({ length: 1000 }, (_, index) => `w${"abc"[index % 3]}`).join(" "));
  assert.equal(count, 1000);
  assert.equal(tokens.length, 256);
});

test("fast and general tokenization give the same tokens", () => {
  const signs = [..."abtnsmlqu'\u2019  01.,;?!€$@-_«»éàŒßÆN".split(""), "can", "n't", "aujourd", "Z"];
  const random = xorshift(11);
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: 20 }, () => signs[Math.floor(random() * signs.length)]).join("");
    assert.deepEqual(tokenise(`${text} 天`).tokens, [...tokenise(text).tokens, "天"], text);
  }
});

test("removes accents from European and other texts, except from non-Latin letters", () => {
  for (const text of [
    "Où est l'ÉTÉ ?",
    "re\u0301sume\u0301",
    "1\u0301 + 2\u0308\u0301 = x\u0304\u0323",
    "naïveÉcole “œuvre”…",
    "Ελλάς\u0301",
  ])
    assert.deepEqual([...tokenise(text).tokens, "漢"], tokenise(`${text} 漢`).tokens, text);
  assert.deepEqual(tokenise("Où est l'ÉTÉ ?").tokens, ["ou", "est", "l'", "ete", "?"]);
});
