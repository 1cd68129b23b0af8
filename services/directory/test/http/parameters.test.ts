import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ValidationIssue } from "@triptych/contracts";
import { slugify } from "../../src/domain/slug.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";
import { openInMemory } from "../support/open-in-memory.ts";
import { PARAMETER_FORMS } from "../support/parameter-forms.ts";
import { storedItem } from "../support/stored-item.ts";

describe("the parameters of the directory", () => {
  let fixture: Fixture;
  let pro: string[];
  let requestCount = 0;
  before(async () => {
    fixture = await createFixture();
    // More requests than one key may send in a minute.
    pro = await Promise.all(Array.from({ length: 6 }, async () => (await fixture.createKey({ plan: "pro" })).secret));
  });
  after(() => fixture[Symbol.asyncDispose]());

  const ask = (query: string, path = "/api/items") =>
    fixture.ask(`${path}?${query}`, { key: pro[requestCount++ % pro.length] });

  for (const [name, { valid, invalid }] of Object.entries(PARAMETER_FORMS)) {
    test(`${name}: accepts every valid form`, async () => {
      for (const query of valid) assert.equal((await ask(query)).statusCode, 200, query);
    });

    test(`${name}: rejects every invalid form with a 400 that names it`, async () => {
      for (const [query, reason] of Object.entries(invalid)) {
        const answer = await ask(query);
        assert.equal(answer.statusCode, 400, query);
        const { code, errors } = answer.json();
        assert.equal(code, "validation_failed");
        assert.deepEqual(
          errors.map((issue: ValidationIssue) => [issue.path, issue.reason]),
          [[`?${name}`, reason]],
          query,
        );
        assert.ok(errors[0].message.length > 10);
      }
    });
  }

  test("reports all issues of a request together", async () => {
    const answer = await ask(
      "type=x&departement=Nowhere&region=atlantis&near=1&radius=-1&limit=1000&offset=-1&sort=size&q=%21&colour=red&format=pdf",
    );
    assert.equal(answer.statusCode, 400);
    const paths = answer.json().errors.map((issue: ValidationIssue) => issue.path);
    assert.deepEqual(paths.sort(), [
      "?colour",
      "?departement",
      "?format",
      "?limit",
      "?near",
      "?offset",
      "?q",
      "?radius",
      "?region",
      "?sort",
      "?type",
    ]);
  });

  test("suggests up to three values for an unknown value of a closed list", async () => {
    const suggestions = async (query: string) => (await ask(query)).json().errors[0].suggestions;
    assert.deepEqual((await suggestions("departement=Finister"))[0], "Finistère");
    assert.deepEqual((await suggestions("departements=finister"))[0], "finistere");
    assert.deepEqual((await suggestions("region=bretange"))[0], "bretagne");
    assert.deepEqual(await suggestions("type=palce"), ["place", "-place"]);
    assert.ok((await suggestions("departement=Haute")).length <= 3);
  });

  test("suggests a parameter for the name that another API gives it, and no unlikely one", async () => {
    const suggestion = async (query: string) => (await ask(query)).json().errors[0].suggestions?.[0];
    for (const [unknown, known] of Object.entries({
      page: "offset",
      per_page: "limit",
      cp: "code_postal",
      limt: "limit",
    }))
      assert.equal(await suggestion(`${unknown}=1`), known);
    assert.equal(await suggestion("lang=fr"), undefined);
  });

  test("explains the order when near is given as lon,lat", async () => {
    const answer = await ask("near=2.35,148.85");
    assert.equal(answer.statusCode, 200);
    assert.match((await ask("near=148.85,2.35")).json().errors[0].message, /lat,lon, not lon,lat/);
  });

  test("suggests the point in France when near is given as lon,lat", async () => {
    const [fault] = (await ask("near=-4.49,48.390")).json().errors;
    assert.match(fault.message, /Did you mean near=48\.39,-4\.49\?/);
    assert.deepEqual(fault.suggestions, ["48.39,-4.49"]);
    for (const query of ["near=48.39,-4.49", "near=46,-10", "near=2.35,-48.85", "near=0,0", "near=40.4,-3.7"])
      assert.equal((await ask(query)).statusCode, 200, query);
  });

  test("returns no items for an unknown tag and lists it", async () => {
    const body = (await ask("tag=prefecture,nothing-such")).json();
    assert.deepEqual(body.query.unknown_tags, ["nothing-such"]);
    assert.ok(body.total >= 101);
    assert.equal((await ask("tag=nothing-such")).json().total, 0);
  });

  test("excludes values that start with -, with and without included values", async () => {
    const page = async (query: string) => (await ask(`${query}&facets=type,tag&limit=100`)).json();
    const total = async (query: string): Promise<number> => (await ask(`${query}&limit=0`)).json().total;
    const [all, places, ofTag] = [await total("sort=title"), await total("type=place"), await total("tag=prefecture")];
    assert.equal(await total("type=-place"), all - places);
    assert.equal(await total("type=place,-place"), 0);
    assert.equal(await total("type=-actor,-place,-article"), 0);
    assert.equal(await total("tag=-Pr%C3%A9fecture"), all - ofTag);
    assert.equal(await total("tag=prefecture,-prefecture"), 0);

    const [both, littoral] = [await total("tag=littoral&tag=prefecture"), await total("tag=littoral")];
    assert.ok(both > 0 && both < littoral, "the sample has both kinds");
    const without = await page("tag=littoral,-prefecture&type=-article");
    assert.deepEqual(without.query.tag, [["littoral"], ["-prefecture"]]);
    assert.deepEqual(without.query.type, ["-article"]);
    assert.equal(await total("tag=littoral,-prefecture"), littoral - both);
    assert.equal(await total("tag=littoral&tag=-prefecture"), littoral - both);
    assert.ok(without.items.every(({ tags }: { tags: string[] }) => !tags.includes("prefecture")));
    assert.ok(without.facets.tag.every(({ value }: { value: string }) => value !== "prefecture"));
    assert.match(without.links.self, /tag=littoral,-prefecture/);
  });

  test("ignores an excluded unknown tag and lists it", async () => {
    const all = (await ask("limit=0")).json().total;
    const body = (await ask("tag=-nothing-such&limit=0")).json();
    assert.deepEqual([body.total, body.query.unknown_tags], [all, ["nothing-such"]]);
  });

  test("combines departement and departements with AND", async () => {
    assert.equal((await ask("departement=Ain&departements=aisne")).json().total, 0);
    assert.equal((await ask("departement=Ain&departements=aisne,ain")).json().total, 2);
  });

  test("returns no items and the same total past the end", async () => {
    const body = (await ask("type=place&offset=5000")).json();
    assert.deepEqual([body.items.length, body.total, body.links.next], [0, 101, null]);
  });

  test("links contain every parameter but the key, and following them returns each item once", async () => {
    const seen: string[] = [];
    let url: string | null = `/api/items?type=place&limit=17&key=${pro[0]}&sort=title`;
    while (url !== null) {
      const answer = await fixture.ask(url, { key: pro[0] });
      const body = answer.json();
      assert.equal(body.total, 101);
      assert.ok(!answer.body.includes(pro[0]) && !JSON.stringify(answer.headers).includes(pro[0]));
      seen.push(...body.items.map((item: { slug: string }) => item.slug));
      url = body.links.next?.replace("http://directory.test", "") ?? null;
    }
    assert.equal(new Set(seen).size, 101);
    assert.equal(seen.length, 101);
  });

  test("the order of checks: path, method, key, validation, existence, plan", async () => {
    const { discovery } = fixture;
    const status = async (url: string, key?: string, method: "GET" | "POST" = "GET") =>
      (await fixture.ask(url, { method, ...(key !== undefined && { key }) })).statusCode;
    assert.equal(await status("/api/items/x", undefined, "POST"), 404);
    assert.equal(await status("/api/item/lieu/x"), 404);
    assert.equal(await status("/api/items", undefined, "POST"), 405);
    assert.equal(await status("/api/items?limit=x"), 401);
    assert.equal(await status("/api/items?limit=x&near=48,2", discovery), 400);
    assert.equal(await status("/api/items?near=48,2", discovery), 403);
    assert.equal(await status("/api/item/place/no-such-place?fields=location", discovery), 404);
    assert.equal(await status("/api/item/place/rennes?fields=location", discovery), 403);
    assert.equal(await status("/api/item/place/rennes?fields=nothing", discovery), 400);
  });

  test("rejects near on Discovery with 403 only if it is valid", async () => {
    const valid = await fixture.ask("/api/items?near=48,2", { key: fixture.discovery });
    assert.equal(valid.statusCode, 403);
    const { code, required_plan, current_plan, feature } = valid.json();
    assert.deepEqual(
      { code, required_plan, current_plan, feature },
      { code: "plan_required", required_plan: "pro", current_plan: "discovery", feature: "geo" },
    );
    assert.equal((await fixture.ask("/api/items?near=95,2", { key: fixture.discovery })).statusCode, 400);
  });

  test("rejects an unknown slug with 404 and suggests the nearest ones", async () => {
    const answer = await fixture.ask("/api/item/place/renes", { key: fixture.pro });
    assert.equal(answer.statusCode, 404);
    assert.equal(answer.json().code, "item_not_found");
    assert.ok(answer.json().suggestions.includes("rennes"));
    assert.ok(answer.json().suggestions.length <= 3);
  });
});

test("finds a tag by the spelling that an import folded", async () => {
  const items = [storedItem({ id: "a", tags: [slugify("Smørrebrød")] })];
  await using fixture = await createFixture({ catalogue: await openInMemory(items, []) });
  const response = await fixture.ask(`/api/items?tag=${encodeURIComponent("Smørrebrød")}`, { key: fixture.pro });
  assert.deepEqual([response.statusCode, response.json().total], [200, 1]);
});
