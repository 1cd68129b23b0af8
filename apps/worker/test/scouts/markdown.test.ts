import assert from "node:assert/strict";
import { test } from "node:test";
import { anchorsOf, linksOf } from "../../src/scouts/reading/markdown.ts";

const TARGETS: readonly (readonly [text: string, targets: readonly string[]])[] = [
  ["[a](a.md)", ["a.md"]],
  ['[a](a.md "title") ![b](b.png)', ["a.md", "b.png"]],
  ["[a](<a b.md>)", ["a b.md"]],
  ["[a](a(1).md)", ["a(1).md"]],
  ["[![badge](b.svg)](a.md)", ["b.svg", "a.md"]],
  ["[a][x]\n\n[x]: a.md 'title'", ["a.md"]],
  ["[x]: <a.md>", ["a.md"]],
  ["[^1]\n\n[^1]: note [a](a.md)", ["a.md"]],
  ["<https://a.test/x> https://b.test/y", ["https://a.test/x", "https://b.test/y"]],
  ["[a](a.md?x=1&amp;y=2)", ["a.md?x=1&y=2"]],
  [String.raw`[a](a\_b.md)`, ["a_b.md"]],
  [String.raw`[a\]](a.md)`, ["a.md"]],
  ["> - [a](a.md)", ["a.md"]],
  ["| a |\n| - |\n| [a](a.md) |", ["a.md"]],
  ["a [a\nb](a.md)", ["a.md"]],
  // None of these is a link.
  [String.raw`\[a\](a.md)`, []],
  [String.raw`\[a](a.md)`, []],
  ["`[a](a.md)`", []],
  ["``[a](a.md) ` ``", []],
  ["    [a](a.md)", []],
  ["- x\n\n      [a](a.md)", []],
  ["```md\n[a](a.md)\n```", []],
  ["~~~\n[a](a.md)", []],
  ["> ```\n> [a](a.md)\n> ```", []],
  ["<!-- [a](a.md) -->", []],
  ["[a] (a.md)", []],
  ["[a](a b.md)", []],
  ["[a](  )", []],
  ["[](#a)", []],
];

test("finds the links that a forge renders", () => {
  for (const [text, targets] of TARGETS)
    assert.deepEqual(
      linksOf(text).map(({ target }) => target),
      targets,
      text,
    );
});

test("locates the target of a link in the source", () => {
  const text = "# One\n\n> see [a](<a b.md> 'x'),\n> [b](b&amp;c.md)\n\n[c]: d.md\n";
  assert.deepEqual(
    linksOf(text).map(({ at, end, line }) => [text.slice(at, end), line]),
    [
      ["a b.md", 3],
      ["b&amp;c.md", 4],
      ["d.md", 6],
    ],
  );
});

const ANCHORS: readonly (readonly [text: string, anchors: readonly string[]])[] = [
  ["# Two Words!", ["two-words"]],
  ["Two words\n===", ["two-words"]],
  ["# Same\n# Same\n# Same-1", ["same", "same-1", "same-1-1"]],
  ["# Use _it_ and `code()`", ["use-it-and-code"]],
  ["# snake_case", ["snake_case"]],
  ["# [Link](a.md) ![alt](b.png)", ["link"]],
  ["# A & B", ["a--b"]],
  ["# Été ça", ["été-ça"]],
  ["# :rocket: Start", ["rocket-start"]],
  ["> # Quoted", ["quoted"]],
  ["- # Listed", ["listed"]],
  [String.raw`# \# Hash`, ["-hash"]],
  ["# Closed ##", ["closed"]],
  ['<a name="Here"></a>\n\ntext <span id=there></span>', ["here", "there"]],
  ["```\n# code\n```\n\n    # code\n\n<!--\n# comment\n-->", []],
];

test("finds the heading anchors of forges, and HTML anchors", () => {
  for (const [text, anchors] of ANCHORS) assert.deepEqual([...anchorsOf(text)], anchors, text);
});
