import assert from "node:assert/strict";
import { test } from "node:test";
import { normaliseText } from "../src/text/readable.ts";
import { isHeldOut, readPhrasings } from "../training/phrasings.ts";
import { readToolbook, type Tool } from "../training/toolbook.ts";

const FEWEST = { en: 6, fr: 4 } as const;
const MOST_PARAMETERS = 8;
/** Maximum length of a name in a request, from the routing contract. */
const LONGEST_NAME = 64;
const LONGEST_REQUEST = 600;
const LONGEST_DESCRIPTION = 600;

const families = readToolbook();
const requests = families.flatMap(({ family, tools, nothing }) =>
  [...tools, { name: "nothing", ...nothing }].flatMap(({ name, en, fr }) =>
    [...en, ...fr].map((text) => ({ text, source: `${family}: ${name}` })),
  ),
);

for (const { family, tools, nothing, ...rest } of families)
  test(`the family ${family} has several distinct tools, and requests that none of them serves`, () => {
    assert.deepEqual(rest, {});
    assert.match(family, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.ok(tools.length >= 6 && tools.length <= 14, String(tools.length));
    for (const unique of [namesOf, descriptionsOf, frenchDescriptionsOf])
      assert.equal(new Set(unique(tools)).size, tools.length);
    for (const tool of tools) checkTool(tool);
    assert.deepEqual(Object.keys(nothing), ["en", "fr"]);
    assert.ok(nothing.en.length >= 8 && nothing.fr.length >= 4, `${nothing.en.length}, ${nothing.fr.length}`);
  });

test("no family is in two files", () => {
  assert.equal(new Set(families.map(({ family }) => family)).size, families.length);
});

test("every request has at most 600 characters", () => {
  for (const { text, source } of requests) checkText(text, LONGEST_REQUEST, source);
});

test("no request occurs twice, neither for one tool nor for two", () => {
  const seen = Map.groupBy(requests, ({ text }) => normaliseText(text));
  for (const [text, sources] of seen)
    assert.equal(sources.length, 1, `"${text}": ${sources.map(({ source }) => source).join(", ")}`);
});

test("no request is an evaluation phrasing of the experts", () => {
  const judged = new Set(
    (["tools", "helpdesk"] as const)
      .flatMap((expert) => [...readPhrasings(expert, "en"), ...readPhrasings(expert, "fr")])
      .filter((phrasing) => isHeldOut(phrasing))
      .map(({ text }) => normaliseText(text)),
  );
  assert.deepEqual(
    requests.filter(({ text }) => judged.has(normaliseText(text))),
    [],
  );
});

function checkTool({ name, description, parameters, description_fr: french, en, fr, ...rest }: Tool): void {
  assert.deepEqual(rest, {}, name);
  assert.match(name, /^[A-Za-z][\w.-]*$/);
  assert.ok(name.length <= LONGEST_NAME, name);
  checkText(description, LONGEST_DESCRIPTION, name);
  checkText(french, LONGEST_DESCRIPTION, name);
  assert.ok(parameters.length <= MOST_PARAMETERS, `${name}: ${parameters.length} parameters`);
  assert.equal(new Set(parameters).size, parameters.length, name);
  for (const parameter of parameters) assert.match(parameter, /^[A-Za-z]\w*$/, name);
  assert.ok(en.length >= FEWEST.en, `${name}: ${en.length} in English`);
  assert.ok(fr.length >= FEWEST.fr, `${name}: ${fr.length} in French`);
}

function checkText(text: string, longest: number, source: string): void {
  assert.match(text, /^\S(.*\S)?$/, source);
  assert.ok(text.length <= longest, `${source}: ${text}`);
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ name }) => name);
}

function descriptionsOf(tools: readonly Tool[]): string[] {
  return tools.map(({ description }) => description);
}

function frenchDescriptionsOf(tools: readonly Tool[]): string[] {
  return tools.map((tool) => tool.description_fr);
}
