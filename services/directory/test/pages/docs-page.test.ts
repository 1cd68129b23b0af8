import assert from "node:assert/strict";
import { test } from "node:test";
import { directoryContract, problems } from "@triptych/contracts";
import { allowedValues, ENGLISH, schemaShape } from "@triptych/server";
import { PLANS } from "../../src/domain/plans.ts";
import { docsPage, type DocsFacts } from "../../src/pages/docs-page.ts";

const facts: DocsFacts = {
  origin: "http://127.0.0.1:7002",
  contact: null,
  plans: Object.values(PLANS),
  today: "2026-02-03",
  language: ENGLISH,
};
/** Line breaks between tags are not significant here. */
const page = docsPage(directoryContract, facts).replaceAll(/>\s+/g, ">").replaceAll(/\s+</g, "<");

test("every endpoint and every parameter is documented with a runnable example", () => {
  for (const { id, path, params, query } of directoryContract.endpoints) {
    const section = page.split(`<section id="${id}"`)[1]?.split("</section>")[0] ?? "";
    assert.ok(section.includes(path), id);
    for (const name of Object.keys({ ...params?.properties, ...query?.properties })) {
      const entry = section.split(`<dt><code>${name}</code>`)[1]?.split("</div>")[0] ?? "";
      assert.match(entry, /data-example="\/api/, `${id} ${name}`);
    }
  }
});

test("an example of a parameter uses that parameter", () => {
  for (const [, name = "", example = ""] of page.matchAll(
    /<dt><code>(\w+)<\/code><\/dt>\s*<dd>.*?data-example="([^"]+)"/gs,
  )) {
    assert.match(example, new RegExp(`[?;&]${name}=`), name);
  }
});

test("documents the three carriers, the plans and every problem", () => {
  for (const carrier of ["Authorization: Bearer", "X-API-Key", "?key="]) assert.ok(page.includes(carrier), carrier);
  for (const plan of facts.plans) assert.ok(page.includes(plan.price), plan.id);
  for (const code of directoryContract.endpoints.flatMap((endpoint) => endpoint.problems)) {
    assert.ok(page.includes(`/problems/${code}`), code);
    assert.ok(page.includes(problems[code].title.replaceAll("'", "&#39;")), code);
  }
});

test("has no inline script or style and no named input, so that no key can be submitted into a URL", () => {
  assert.doesNotMatch(page, /<style|style="|\son[a-z]+="|<script(?![^>]*src=)/);
  assert.doesNotMatch(page, /<input[^>]*\sname=/);
});

test("shows the operator's contact as text, and links only URLs and email addresses", () => {
  const hostile = docsPage(directoryContract, { ...facts, contact: "javascript:alert(1)<script>" });
  assert.ok(hostile.includes("javascript:alert(1)&lt;script&gt;"));
  assert.doesNotMatch(hostile, /href="javascript/);
  assert.match(
    docsPage(directoryContract, { ...facts, contact: "keys@example.test" }),
    /href="mailto:keys@example\.test"/,
  );
  assert.match(
    docsPage(directoryContract, { ...facts, contact: "https://example.test/keys" }),
    /<a href="https:\/\/example\.test\/keys" rel="noopener noreferrer">/,
  );
});

test("describes limits in words", () => {
  assert.equal(allowedValues({ type: "integer", minimum: 0, maximum: 100 }), "0 to 100");
  assert.equal(
    allowedValues({ type: "array", maxItems: 3, items: { enum: ["a", "b"] } }),
    "one of a, b · comma-separated list · at most 3 values",
  );
});

test("shows the keys, choices and descriptions of a body", () => {
  const schema = {
    type: "object",
    properties: {
      total: { type: "integer", description: "exact" },
      tags: { type: "array", items: { type: "string" } },
      near: { anyOf: [{ const: "x" }, { type: "null" }] },
    },
  };
  assert.equal(schemaShape(schema), `{\n  total: integer  // exact\n  tags: [ string ]\n  near: "x" | null\n}`);
});
