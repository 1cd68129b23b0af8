import assert from "node:assert/strict";
import { test } from "node:test";
import { directoryContract, gatewayContract, panelContract, problems, railContract } from "@triptych/contracts";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { isProblemCode, problemPage } from "../src/pages/problem-page.ts";
import { referencePage, sortEndpoints } from "../src/pages/reference-page.ts";
import { requestExample } from "../src/pages/request-example.ts";
import { homePage } from "../src/pages/home-page.ts";

const contracts = [directoryContract, gatewayContract, panelContract, railContract];
const origin = "http://127.0.0.1:7000";
const links = [{ path: "/docs", label: "Reference" }];
const INLINE = /<style|style="|\son[a-z]+="|<script(?![^>]*src=)/;

for (const contract of contracts)
  test(`the reference of ${contract.name} shows each endpoint once, with code in five languages and its problem pages`, () => {
    const page = referencePage({ contract, origin, links });
    for (const { id, method, path, problems } of contract.endpoints) {
      const [section = "", ...more] = page.split(`<section id="${id}"`).slice(1);
      assert.equal(more.length, 0, `${id} appears twice`);
      assert.match(section, new RegExp(`data-method="${method}"`), id);
      for (const code of ["curl --request", "fetch(", "import requests", "curl_exec(", "package main"])
        assert.ok(section.includes(code), `${id}: ${code}`);
      assert.ok(section.includes(`<code>${method} ${path}</code>`), id);
      for (const code of problems) assert.ok(section.includes(`/problems/${code}`), `${id} ${code}`);
    }
    assert.doesNotMatch(page, INLINE);
    assert.doesNotMatch(page, /<(input|textarea|select)[^>]*\sname=/);
  });

test("groups endpoints by resource in contract order, parents before children", () => {
  const read = sortEndpoints(railContract.endpoints).map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(read.slice(0, 4), [
    "POST /v1/wallets",
    "GET /v1/wallets/me",
    "PATCH /v1/wallets/me",
    "DELETE /v1/wallets/me",
  ]);
  for (const { endpoints } of contracts)
    assert.deepEqual(new Set(sortEndpoints(endpoints)), new Set(endpoints), "no endpoint is missing");
  assert.equal(sortEndpoints(gatewayContract.endpoints)[0]?.path, "/v1/route");
});

test("the example body is valid for its endpoint", () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const refused = contracts.flatMap((contract) =>
    contract.endpoints.flatMap((endpoint) => {
      if (endpoint.body === undefined) return [];
      const { body } = requestExample(contract, endpoint);
      return ajv.validate(endpoint.body, body) ? [] : [`${contract.name} ${endpoint.id}: ${ajv.errorsText()}`];
    }),
  );
  assert.deepEqual(refused, []);
});

test("the page of a problem has its meaning, remedy and response body", () => {
  for (const code of Object.keys(problems).filter(isProblemCode)) {
    const page = problemPage(code, { contract: railContract, url: origin, links });
    for (const part of ["What it means", "What to do", "Response body", "Endpoints"])
      assert.ok(page.includes(part), `${code}: ${part}`);
    assert.ok(page.includes(`${origin}/problems/${code}`), code);
    assert.doesNotMatch(page, INLINE);
  }
  assert.ok(!isProblemCode("toString"));
});

test("the home page shows the readiness, and escapes its texts", () => {
  const home = { links: [], commands: () => [{ say: "<b>first</b>", run: `curl "${origin}" <x>` }] };
  const page = (missing: string | null) => homePage({ contract: railContract, url: origin, home, missing });
  assert.match(page(null), /Ready at http:\/\/127\.0\.0\.1:7000/);
  assert.match(page("The store is away."), /class="health away">Not ready: The store is away\./);
  assert.ok(page(null).includes("&lt;b&gt;first&lt;/b&gt;") && page(null).includes("&lt;x&gt;"));
  assert.doesNotMatch(page(null), INLINE);
});
