import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ValidationIssue } from "@triptych/contracts";
import { slugify } from "../../src/domain/slug.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";
import { openInMemory } from "../support/open-in-memory.ts";
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

  /** Per parameter: valid values, and invalid values with their reason. */
  const table: Readonly<
    Record<string, { readonly valid: readonly string[]; readonly invalid: Readonly<Record<string, string>> }>
  > = {
    type: {
      valid: ["type=place", "type=place,actor", "type=place&type=actor", "type=-place", "type=place,-place"],
      invalid: { "type=": "empty", "type=lieu": "not_allowed", "type=-lieu": "not_allowed", "type=place,": "empty" },
    },
    departement: {
      valid: ["departement=Ain", "departement=c%C3%B4tes+d%27armor", "departement=REUNION"],
      invalid: {
        "departement=": "empty",
        "departement=Aisn": "unknown_value",
        "departement=Ain,Aisne": "unknown_value",
        "departement=Ain&departement=Aisne": "repeated",
        "departement=01": "unknown_value",
        "departement=-Ain": "unknown_value",
      },
    },
    departements: {
      valid: ["departements=ain", "departements=01,2a", "departements=ain&departements=974"],
      invalid: {
        "departements=": "empty",
        "departements=Côte-dOr": "unknown_value",
        "departements=20": "unknown_value",
        "departements=-ain": "unknown_value",
      },
    },
    region: {
      valid: ["region=bretagne", "region=53", "region=Île-de-France", "region=bretagne,11"],
      invalid: { "region=": "empty", "region=bretange": "unknown_value", "region=-bretagne": "unknown_value" },
    },
    commune: {
      valid: ["commune=Rennes", "commune=saint%20etienne", "commune=ST-%C3%89TIENNE", "commune=BourgEnBresse"],
      invalid: {
        "commune=": "empty",
        "commune=Renes": "unknown_value",
        "commune=-Rennes": "unknown_value",
        "commune=%20-Rennes": "unknown_value",
        "commune=Rennes,Brest": "unknown_value",
        "commune=%CE%95%CE%BB": "unknown_value",
        "commune=Rennes&commune=Rennes": "repeated",
        [`commune=${"a".repeat(101)}`]: "too_long",
      },
    },
    insee: {
      valid: ["insee=35238", "insee=2a004,2B033", "insee=35238&insee=99999"],
      invalid: {
        "insee=": "empty",
        "insee=3523": "wrong_form",
        "insee=352380": "wrong_form",
        "insee=2C004": "wrong_form",
        "insee=-35238": "wrong_form",
        [`insee=${Array(101).fill("35238").join(",")}`]: "too_many",
      },
    },
    code_postal: {
      valid: ["code_postal=35000", "code_postal=35,974,2200", "code_postal=99999"],
      invalid: {
        "code_postal=": "empty",
        "code_postal=3": "wrong_form",
        "code_postal=350000": "wrong_form",
        "code_postal=2A": "wrong_form",
        "code_postal=-35": "wrong_form",
        [`code_postal=${Array(101).fill("35").join(",")}`]: "too_many",
      },
    },
    source: {
      valid: ["source=triptych-sample", "source=Triptych%20sample", "source=-TRIPTYCH-SAMPLE"],
      invalid: {
        "source=": "empty",
        "source=-": "wrong_form",
        "source=--triptych-sample": "wrong_form",
        "source=triptych": "unknown_value",
        "source=-nothing": "unknown_value",
        [`source=${Array(21).fill("triptych-sample").join(",")}`]: "too_many",
      },
    },
    bbox: {
      valid: ["bbox=-2.2,47.9,-1.4,48.3", "bbox=170,-30,-170,30", "bbox=-180,-90,180,90", "bbox=2,48,2,48"],
      invalid: {
        "bbox=": "empty",
        "bbox=1,2,3": "not_a_box",
        "bbox=1,2,3,4,5": "not_a_box",
        "bbox=a,b,c,d": "not_a_box",
        "bbox=181,0,182,1": "not_a_box",
        "bbox=0,-91,1,1": "not_a_box",
        "bbox=0,50,1,49": "not_a_box",
        "bbox=47.9,-2.2,48.3,-1.4": "swapped",
        "bbox=48.3,-2.2,47.9,-1.4": "swapped",
        "bbox=1e1,2,3,4": "not_a_box",
        "bbox=1,2,3,4&bbox=1,2,3,4": "repeated",
      },
    },
    ids: {
      valid: [
        "ids=place/rennes",
        "ids=place/rennes,article/bretagne&limit=1&offset=1&fields=title",
        "ids=place/no-such",
      ],
      invalid: {
        "ids=": "empty",
        "ids=rennes": "wrong_form",
        "ids=lieu/rennes": "wrong_form",
        "ids=place/Rennes": "wrong_form",
        "ids=-place/rennes": "wrong_form",
        [`ids=place/${"x".repeat(130)}`]: "too_long",
        [`ids=${Array.from({ length: 101 }, (_, n) => `place/x-${n}`).join(",")}`]: "too_many",
      },
    },
    tag: {
      valid: ["tag=prefecture", "tag=a,b&tag=c", "tag=Préfecture", "tag=-a,b", "tag=-Préfecture"],
      invalid: {
        "tag=": "empty",
        "tag=-": "wrong_form",
        "tag=--ile": "wrong_form",
        [`tag=${Array.from({ length: 21 }, (_, n) => `t${n}`).join(",")}`]: "too_many",
      },
    },
    q: {
      valid: ["q=rennes", "q=l%27eau", "q=100%", "q=mus%25E9e", `q=${"a".repeat(200)}`],
      invalid: {
        "q=": "empty",
        [`q=${"a".repeat(201)}`]: "too_long",
        "q=%21%3F": "empty_query",
        "q=a&q=b": "repeated",
        "q=%20": "empty_query",
        "q=mus%E9e": "wrong_form",
        "%71=mus%E9e": "wrong_form",
      },
    },
    near: {
      valid: ["near=48.1,-1.6", "near=-90,180", "near=90,-180", "near=48,2", `near=44.84,${-0.5790710449218751}`],
      invalid: {
        "near=": "empty",
        "near=48.1": "not_a_point",
        "near=91,0": "not_a_point",
        "near=0,181": "not_a_point",
        "near=-4.49,48.39": "swapped",
        "near=55.45,-20.88": "swapped",
        "near=a,b": "not_a_point",
        "near=1,2,3": "not_a_point",
        "near=NaN,1": "not_a_point",
        "near=1e1,2": "not_a_point",
        "near=1,2&near=1,2": "repeated",
      },
    },
    radius: {
      valid: ["near=48,2&radius=0.001", "near=48,2&radius=200", `near=48,2&radius=${0.1 + 0.2}`],
      invalid: {
        "radius=5": "needs_near",
        "near=48,2&radius=0": "out_of_range",
        "near=48,2&radius=200.1": "out_of_range",
        "near=48,2&radius=-1": "out_of_range",
        "near=48,2&radius=x": "wrong_type",
        "near=48,2&radius=Infinity": "wrong_type",
      },
    },
    limit: {
      valid: ["limit=0", "limit=100", "limit=all&format=csv"],
      invalid: {
        "limit=101": "out_of_range",
        "limit=-1": "out_of_range",
        "limit=1.5": "wrong_type",
        "limit=many": "wrong_type",
        "limit=": "empty",
        "limit=1&limit=2": "repeated",
        "limit=all": "needs_format",
        "limit=all&format=json": "needs_format",
      },
    },
    offset: {
      valid: ["offset=0", "offset=1000000000"],
      invalid: {
        "offset=1000000001": "out_of_range",
        "offset=-1": "out_of_range",
        "offset=x": "wrong_type",
        "offset=1&offset=1": "repeated",
      },
    },
    sort: {
      valid: [
        "sort=title",
        "sort=-updated_at",
        "q=a&sort=relevance",
        "near=48,2&sort=distance",
        "near=48,2&sort=title",
      ],
      invalid: {
        "sort=relevance": "needs_q",
        "sort=distance": "needs_near",
        "sort=name": "not_allowed",
        "sort=": "empty",
        "sort=title&sort=title": "repeated",
      },
    },
    facets: {
      valid: ["facets=type", "facets=type,tag,region,departement,commune,source", "facets=type&format=csv"],
      invalid: {
        "facets=commune,insee": "not_allowed",
        "facets=": "empty",
      },
    },
    format: {
      valid: ["format=json", "format=geojson", "format=csv", "format=ndjson"],
      invalid: {
        "format=xml": "not_allowed",
        "format=ld%2Bjson": "not_allowed",
        "format=": "empty",
        "format=csv&format=csv": "repeated",
      },
    },
    fields: {
      valid: ["fields=title", "fields=title,location"],
      invalid: { "fields=titel": "not_allowed", "fields=": "empty", "fields=distance_km": "needs_near" },
    },
    highlight: {
      valid: ["highlight=true&q=mer", "highlight=false", "highlight=true&q=mer&format=ndjson"],
      invalid: {
        "highlight=true": "needs_q",
        "highlight=true&q=mer&format=csv": "needs_format",
        "highlight=yes": "wrong_type",
        "highlight=": "empty",
      },
    },
    since: {
      valid: ["since=2026-01-01T00:00:00Z", "since=2026-01-01T00:00:00.5%2B02:00"],
      invalid: {
        "since=2026-01-01": "wrong_form",
        "since=1-4ab": "wrong_form",
        "since=": "empty",
        "since=2026-01-01T00:00:00Z&since=2026-01-01T00:00:00Z": "repeated",
      },
    },
    strict: {
      valid: ["strict=true&q=port", "strict=false"],
      invalid: { "strict=no": "wrong_type", "strict=": "empty", "strict=true&strict=true": "repeated" },
    },
    synonyms: {
      valid: ["synonyms=true", "synonyms=false&q=port"],
      invalid: { "synonyms=no": "wrong_type", "synonyms=": "empty", "synonyms=true&synonyms=true": "repeated" },
    },
    correct: {
      valid: ["correct=true", "correct=false"],
      invalid: { "correct=no": "wrong_type", "correct=": "empty", "correct=true&correct=true": "repeated" },
    },
  };

  for (const [name, { valid, invalid }] of Object.entries(table)) {
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
