import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { test } from "node:test";
import { loadBackground } from "../src/background/background.ts";
import { normaliseText } from "../src/text/readable.ts";
import { hashOfText, openDataFolder } from "../training/data-folder.ts";
import { isHeldOut, readPhrasings } from "../training/phrasings.ts";

const FOLDER = new URL("../background/", import.meta.url);
const LARGEST_BYTES = 250 * 1024;
const LONGEST = 200;

const background = loadBackground();
const count = (lang: string): number => background.filter((text) => text.lang === lang).length;

test("the background has at least 3,000 texts, about half of them English and half French", () => {
  assert.ok(background.length >= 3_000, String(background.length));
  assert.ok(count("en") >= 1_500, `${count("en")} in English`);
  assert.ok(count("fr") >= 1_500, `${count("fr")} in French`);
});

test("the background contains five other languages and noise", () => {
  for (const lang of ["de", "es", "it", "pt", "nl"]) assert.ok(count(lang) >= 30, `${count(lang)} in ${lang}`);
  assert.ok(count("und") >= 80, `${count("und")} of noise`);
});

test("the background has topics in both languages", () => {
  assert.deepEqual(readdirSync(FOLDER).toSorted(), ["README.md", "en.txt", "fr.txt", "other.txt"]);
  assert.ok(background.every(({ text }) => !text.startsWith("# ")));
});

test("no background text occurs twice after normalization", () => {
  const seen = Map.groupBy(background, ({ text }) => normaliseText(text) || text);
  for (const [key, texts] of seen) assert.equal(texts.length, 1, `${key}: ${texts.map(({ lang }) => lang).join(", ")}`);
});

test("every background text is trimmed and has at most 200 characters", () => {
  for (const { text } of background) {
    assert.equal(text, text.trim());
    assert.ok(text.length > 0 && text.length <= LONGEST, text);
  }
});

test("the background files have at most 250 KiB", () => {
  const bytes = readdirSync(FOLDER).reduce((sum, file) => sum + statSync(new URL(file, FOLDER)).size, 0);
  assert.ok(bytes <= LARGEST_BYTES, `${bytes} bytes`);
});

test("no background text is an evaluation phrasing of the experts", () => {
  const judged = new Set(
    (["tools", "helpdesk"] as const)
      .flatMap((expert) => [...readPhrasings(expert, "en"), ...readPhrasings(expert, "fr")])
      .filter((phrasing) => isHeldOut(phrasing))
      .map(({ text }) => normaliseText(text)),
  );
  assert.deepEqual(
    background.filter(({ text }) => judged.has(normaliseText(text))),
    [],
  );
});

const data = openDataFolder();
const skip = data === null && "the training data folder is missing; set TRIPTYCH_ROUTING_DATA";

test("no background text is held back for evaluation", { skip }, () => {
  if (data === null) return;
  assert.deepEqual(
    background.filter(({ text }) => data.isHeldOut(text)),
    [],
  );
});

test("no background text is in a validation split", { skip }, () => {
  if (data === null) return;
  const TEXT = { texts: ["text"] } as const;
  const files = [
    ...["BANKING77", "CLINC150", "HWU64", "SNIPS"].map((set) => `intents/${set}/valid.jsonl`),
    ...["CLINC150", "BANKING77-OOS"].map((set) => `oos/${set}/valid.jsonl`),
  ];
  const valid = new Set(
    files.flatMap((file) => data.rows(file, "evaluation", TEXT).map(({ text }) => hashOfText(text))),
  );
  assert.deepEqual(
    background.filter(({ text }) => valid.has(hashOfText(text))),
    [],
  );
});
