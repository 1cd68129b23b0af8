import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Value } from "typebox/value";
import { getItem, getItems } from "@triptych/contracts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

describe("documents, facets and counts of the directory", () => {
  let fixture: Fixture;
  before(async () => (fixture = await createFixture()));
  after(() => fixture[Symbol.asyncDispose]());

  test("labels facet types in the client's language, French by default", async () => {
    const url = "/api/items?limit=0&facets=type";
    const labels = { fr: ["Acteur", "Lieu", "Article"], en: ["Actor", "Place", "Article"] };
    const languages = { "": "fr", fr: "fr", "fr-FR": "fr", "fr;q=0.8, en": "en", "en-GB, en;q=0.9": "en", de: "fr" };
    const { secret: key } = await fixture.createKey({ plan: "pro" });
    const seen = new Map<string, unknown>();
    // Twice: the second response comes from the page cache.
    for (const [header, language] of [...Object.entries(languages), ...Object.entries(languages)]) {
      const answer = await fixture.ask(url, { key, headers: { "accept-language": header } });
      const found = answer.json().facets.type.map((one: { label: string }) => one.label);
      assert.deepEqual(found.toSorted(), labels[language === "en" ? "en" : "fr"].toSorted(), header);
      assert.match(String(answer.headers["vary"]), /\bAccept-Language\b/);
      seen.set(language, answer.headers["etag"]);
    }
    assert.notEqual(seen.get("fr"), seen.get("en"));
    const headers = { "accept-language": "en", "if-none-match": String(seen.get("fr")) };
    assert.equal((await fixture.ask(url, { key, headers })).statusCode, 200);
    const plain = await fixture.ask("/api/items?limit=1", { key });
    assert.doesNotMatch(String(plain.headers["vary"]), /Accept-Language/);
  });

  test("responses, with and without fields=, match the OpenAPI document", async () => {
    const narrowings = ["", "&fields=title", "&fields=title,extra,mentions", "&fields=distance_km&near=48.11,-1.68"];
    for (const key of [fixture.discovery, fixture.pro]) {
      for (const narrowing of narrowings) {
        if (key === fixture.discovery && /extra|near/.test(narrowing)) continue;
        const page = (await fixture.ask(`/api/items?q=rennes&facets=type${narrowing}`, { key })).json();
        assert.deepEqual(Value.Errors(getItems.answers[200].schema, page), []);
        assert.ok(page.items.length > 0);
        if (narrowing.includes("near")) continue;
        const item = (await fixture.ask(`/api/item/place/rennes?${narrowing}`, { key })).json();
        assert.deepEqual(Value.Errors(getItem.answers[200].schema, item), []);
      }
    }
  });

  test("facets are exact under all filters, by descending count", async () => {
    const { facets, total } = (
      await fixture.ask("/api/items?region=bretagne&facets=type,departement,region,tag&limit=0", {
        key: fixture.discovery,
      })
    ).json();
    const sum = (values: { count: number }[]) => values.reduce((all, entry) => all + entry.count, 0);
    assert.equal(sum(facets.type), total);
    assert.deepEqual(
      facets.region.map((entry: { value: string }) => entry.value),
      ["bretagne"],
    );
    assert.ok(facets.departement.length === 4);
    for (const values of Object.values<{ count: number; value: string }[]>(facets)) {
      const sorted = values.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
      assert.deepEqual(values, sorted);
    }
  });

  test("the discovery document is generated from the contract, and its examples work", async () => {
    const body = (await fixture.ask("/api")).json();
    assert.deepEqual(
      body.plans.map((plan: { id: string; items_per_day: number }) => [plan.id, plan.items_per_day]),
      [
        ["discovery", 2000],
        ["pro", 50_000],
      ],
    );
    assert.equal(body.authentication.length, 3);
    for (const endpoint of body.endpoints) {
      const answer = await fixture.ask(endpoint.example.replace("http://directory.test", ""), { key: fixture.pro });
      assert.equal(answer.statusCode, 200, endpoint.example);
    }
  });

  test("/api returns the documentation page to browsers", async () => {
    const page = await fixture.ask("/api", { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
    assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
    assert.match(page.body, /<h1/);
    assert.equal(
      (await fixture.ask("/api", { headers: { accept: "*/*" } })).headers["content-type"],
      "application/json; charset=utf-8",
    );
  });

  test("meta lists every département and région, and its counts add up", async () => {
    const meta = (await fixture.ask("/api/meta", { key: fixture.discovery })).json();
    assert.deepEqual([meta.departements.length, meta.regions.length], [101, 18]);
    assert.deepEqual(meta.totals, { all: 220, actor: 101, place: 101, article: 18, located: meta.totals.located });
    const [west, south, east, north] = meta.bbox;
    assert.ok(west < -60 && east > 55 && south < -20 && north > 50);
  });
});
