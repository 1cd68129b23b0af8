/** French by `Accept-Language`: every sentence of every problem has a French form. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { directoryContract, problems, type ProblemBody } from "@triptych/contracts";
import { frenchText } from "../../src/french/french-contract.ts";
import { frenchProblem } from "../../src/french/problem-texts.ts";
import { frenchSentence } from "../../src/http/french-problems.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";
import { randomRequest } from "../support/random-requests.ts";
import { seeded } from "../support/random.ts";
import { runs } from "../support/runs.ts";

const FRENCH = { "accept-language": "fr-FR,fr;q=0.9,en;q=0.5" };

describe("problems in French", () => {
  it("translate title, detail and messages, and keep codes, reasons and paths", async () => {
    await using fixture = await createFixture();
    const query = "/api/items?limit=500&departement=Finistre&lmit=3";
    const english = (await fixture.ask(query, { key: fixture.pro })).json<ProblemBody>();
    const response = await fixture.ask(query, { key: fixture.pro, headers: FRENCH });
    const french = response.json<ProblemBody>();
    assert.equal(response.headers["content-language"], "fr");
    assert.match(String(response.headers["vary"]), /Accept-Language/);
    assert.equal(french.title, "Requête invalide");
    assert.equal(french.detail, "La requête contient 3 erreurs, toutes indiquées dans `errors`.");
    assert.deepEqual(
      french.errors?.map(({ path, reason }) => [path, reason]),
      english.errors?.map(({ path, reason }) => [path, reason]),
    );
    assert.deepEqual(french.errors?.map(({ message }) => message).sort(), [
      "Paramètre `lmit` inconnu. Vouliez-vous dire `limit` ?",
      '`departement` inconnu : "Finistre". Vouliez-vous dire Finistère ?',
      "`limit` doit être un nombre entier de 0 à 100, ou `all`.",
    ]);
    assert.deepEqual([french.code, french.status, french.type], [english.code, english.status, english.type]);
  });

  it("are English without the header, and for other languages", async () => {
    await using fixture = await createFixture();
    const others: readonly Record<string, string>[] = [
      {},
      { "accept-language": "de" },
      { "accept-language": "en,fr;q=0.5" },
    ];
    for (const headers of others) {
      const response = await fixture.ask("/api/items", { headers });
      assert.equal(response.json<ProblemBody>().title, problems.key_required.title);
      assert.equal(response.headers["content-language"], "en");
    }
    const french = await fixture.ask("/api/items", { headers: FRENCH });
    assert.equal(french.json<ProblemBody>().title, "Clé d'API requise");
  });

  it("exist for every problem of the contract", () => {
    const codes = new Set(directoryContract.endpoints.flatMap((endpoint) => endpoint.problems));
    for (const code of [...codes, "not_found", "method_not_allowed", "internal", "request_timeout"] as const)
      assert.ok(frenchProblem(code) !== null, code);
  });

  it("exist for every sentence of the answers to random requests", async () => {
    await using fixture = await createFixture();
    const random = seeded(31);
    let sentences = 0;
    for (let round = 0; round < runs(4000); round++) {
      fixture.pass(1000);
      const { url, method, headers } = randomRequest(random);
      const response = await fixture.ask(encodable(url), { key: fixture.pro, method, headers });
      if (method === "HEAD" || response.headers["content-encoding"] !== undefined) continue;
      if (!String(response.headers["content-type"]).startsWith("application/problem+json")) continue;
      const { code, detail, errors = [] } = response.json<ProblemBody>();
      if (detail !== problems[code].explanation) assert.notEqual(frenchSentence(detail), null, detail);
      for (const { message } of errors) assert.notEqual(frenchSentence(message), null, message);
      sentences += 1 + errors.length;
    }
    assert.ok(sentences > runs(4000));
  });
});

/** Clients cannot send other characters. */
function encodable(url: string): string {
  return url.replaceAll(/[^\u0021-\u007e]/g, (character) => encodeURIComponent(character.toWellFormed()));
}

describe("/api in French", () => {
  it("has a text for every text of the contract", async () => {
    const { endpoints, credentials, title, description } = directoryContract;
    for (const text of [title, description, ...textsOf([endpoints, credentials])])
      assert.notEqual(frenchText(text), null, text);
    await using fixture = await createFixture();
    const response = await fixture.ask("/api", { headers: { ...FRENCH, accept: "application/json" } });
    assert.equal(response.headers["content-language"], "fr");
    assert.match(String(response.headers["vary"]), /Accept, Accept-Language/);
    assert.match(response.body, /"name":"Annuaire Triptych".*"summary":"Liste filtrée d'éléments"/s);
    const english = await fixture.ask("/api", { headers: { accept: "application/json" } });
    assert.equal(english.headers["content-language"], "en");
  });
});

/** Descriptions, summaries and headers, at any depth. */
function textsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (name === "headers") return Object.values(member ?? {}).map(String);
    if (typeof member === "string") return name === "description" || name === "summary" ? [member] : [];
    return textsOf(member);
  });
}

describe("pages in French", () => {
  const get = (fixture: Fixture, path: string, headers = {}) =>
    fixture.ask(path, { headers: { accept: "text/html", ...headers } });

  for (const path of ["/", "/docs", "/api", "/api/docs", "/problems/validation_failed"])
    it(`follow Accept-Language at ${path}`, async () => {
      await using fixture = await createFixture();
      const english = await get(fixture, path);
      const french = await get(fixture, path, FRENCH);
      for (const [response, language] of [
        [english, "en"],
        [french, "fr"],
      ] as const) {
        assert.equal(response.statusCode, 200);
        assert.equal(response.headers["content-language"], language);
        assert.match(String(response.headers["vary"]), /Accept-Language/);
        assert.match(response.body, new RegExp(`<html lang="${language}">`));
      }
      assert.notEqual(english.headers["etag"], french.headers["etag"]);
      const again = await get(fixture, path, { ...FRENCH, "if-none-match": String(french.headers["etag"]) });
      assert.equal(again.statusCode, 304);
      const other = await get(fixture, path, { "if-none-match": String(french.headers["etag"]) });
      assert.equal(other.statusCode, 200);
    });

  it("have a language switch that wins over Accept-Language and stays for the next page", async () => {
    await using fixture = await createFixture();
    const english = await get(fixture, "/docs?lang=en", FRENCH);
    assert.equal(english.headers["content-language"], "en");
    assert.match(english.body, /<a\s+href="\/docs\?lang=fr"\s+lang="fr"/);
    const french = await get(fixture, "/docs?lang=fr");
    assert.equal(french.headers["content-language"], "fr");
    assert.match(french.body, /href="\/problems\/rate_limited\?lang=fr"/);
    assert.match((await get(fixture, "/docs", FRENCH)).body, /href="\/problems\/rate_limited"/);
    assert.match((await get(fixture, "/problems/rate_limited?lang=fr")).body, /href="\/docs\?lang=fr#getItems"/);
  });

  it("ignore an unknown language", async () => {
    await using fixture = await createFixture();
    assert.equal((await get(fixture, "/docs?lang=de", FRENCH)).headers["content-language"], "fr");
  });

  it("are English for a problem of other services", async () => {
    await using fixture = await createFixture();
    const response = await get(fixture, "/problems/wallet_empty", FRENCH);
    assert.equal(response.headers["content-language"], "en");
    assert.doesNotMatch(response.body, /languages-nav/);
  });

  it("share no sentence with the English ones", async () => {
    await using fixture = await createFixture();
    for (const path of ["/", "/docs", "/problems/validation_failed", "/problems/plan_required"]) {
      const english = new Set(sentencesOf((await get(fixture, path)).body));
      const shared = sentencesOf((await get(fixture, path, FRENCH)).body).filter((text) => english.has(text));
      assert.deepEqual(shared, [], path);
    }
  });
});

/** Texts of three words or more, outside code. */
function sentencesOf(page: string): string[] {
  const [, body = ""] = page.split("<body>");
  return body
    .replaceAll(/<(pre|code|script)[^>]*>.*?<\/\1>/gs, "")
    .split(/<[^>]+>/)
    .map((text) => text.replaceAll(/\s+/g, " ").trim())
    .filter((text) => /(\p{L}+ ){2}\p{L}/u.test(text));
}
