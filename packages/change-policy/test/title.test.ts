import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as assertProperty, option, property, record, string } from "fast-check";
import { summarizeChange, titleOf, TITLE_MAX } from "../src/index.ts";

const title = (focus: string, more: Partial<Parameters<typeof titleOf>[0]> = {}) =>
  titleOf({ focus, summaries: ["Update 3 files in src/", "Update 3 files"], ...more });

test("uses the first of title, sentence, clause and summary that fits completely", () => {
  const bump =
    "Bring @sindresorhus/transliterate from 1.0.0 to 2.3.1, in package.json and, where there is one, in the lock.";
  assert.equal(title(bump, { title: "Update mocha to 12.0.3" }), "Update mocha to 12.0.3");
  assert.equal(title(bump), "Bring @sindresorhus/transliterate from 1.0.0 to 2.3.1");
  assert.equal(title("Repair the sum. It subtracts.\nTouch nothing else."), "Repair the sum");
  assert.equal(title(`In sum.js, ${"fix the sign ".repeat(9)}`), "Update 3 files in src/");
  assert.equal(title("x".repeat(73)), "Update 3 files in src/");
  assert.equal(
    title(bump, { title: "A text that somebody cut…" }),
    "Bring @sindresorhus/transliterate from 1.0.0 to 2.3.1",
  );
});

test("counts the prefix, and omits it if it leaves no room", () => {
  assert.equal(title("Repair the sum.", { prefix: "chore: " }), "chore: Repair the sum");
  assert.equal(title(`Repair ${"x".repeat(60)}`, { prefix: "chore: " }), "chore: Update 3 files in src/");
  assert.equal(title("Repair the sum.", { prefix: "x".repeat(70) }), "Repair the sum");
});

test("summarizes the changed files", () => {
  assert.deepEqual(summarizeChange(["src/sum.js"])[0], "Update src/sum.js");
  assert.equal(
    summarizeChange([`${"deep/".repeat(20)}sum.js`]).find((text) => text.length <= 72),
    "Update sum.js",
  );
  assert.deepEqual(summarizeChange(["src/a/b.js", "src/a.js"]), ["Update 2 files in src/", "Update 2 files"]);
  assert.deepEqual(summarizeChange(["a.js", "src/a.js"]), ["Update 2 files"]);
  assert.deepEqual(summarizeChange(["a/\u0007/b", "a/\u0007/c"]), ["Update 2 files"]);
});

test("a title is one line of at most 72 characters and never truncated", () => {
  const text = string({ unit: "grapheme", maxLength: 300 });
  const source = record({
    title: option(text),
    focus: text,
    prefix: string({ unit: "grapheme", maxLength: 100 }),
    paths: array(text, { minLength: 1, maxLength: 5 }),
  });
  assertProperty(
    property(source, ({ paths, ...options }) => {
      const made = titleOf({ ...options, summaries: summarizeChange(paths) });
      assert.ok(Array.from(made).length <= TITLE_MAX, made);
      assert.doesNotMatch(made, /\p{Cc}/u);
      assert.ok(made.trim() !== "" && made.isWellFormed());
      assert.ok(!made.slice(options.prefix.length).endsWith("…"));
    }),
  );
});
