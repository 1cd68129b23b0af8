/** Values of fields outside the Discovery plan reach no response to a Discovery key, and no public page. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFixture } from "../support/create-fixture.ts";
import { openInMemory } from "../support/open-in-memory.ts";
import { storedItem } from "../support/stored-item.ts";

const HIDDEN = {
  location: { lat: 46.207531, lon: 5.228642 },
  description: "zanzibar secretdescription",
  address: { rue: "7 rue Secretstreet", code_postal: "01234" },
  website: "https://secret.example.test/",
  email: "secret@example.test",
  phone: "+33100000777",
  images: [{ url: "https://secret.example.test/image.png", title: "secretimage" }],
  links: [{ url: "https://secret.example.test/link", title: "secretlink" }],
  same_as: ["https://secret.example.test/same"],
  extra: { secretcolumn: "secretvalue" },
};
/** Postal codes are searched and filtered on both plans: only their field is hidden. */
const SECRETS = /46\.2075|5\.2286|secret|zanzibar|\+33100000777|01234/i;

const planted = ["a", "b"].map((id) => {
  const { item, ...source } = storedItem({ id, title: `Halle ${id}` });
  return { ...source, item: { ...item, ...HIDDEN } };
});

const LISTS = [
  "",
  "q=halle&highlight=true",
  "ids=place/a",
  "since=2020-01-01T00:00:00Z",
  "code_postal=01",
  "type=place",
];
const FACETS = "facets=type,departement,region,commune,tag,source";

describe("the Discovery plan", () => {
  it("hides the fields of other plans in every format, filter and page", async () => {
    await using fixture = await createFixture({ catalogue: await openInMemory(planted, []) });
    const lists = LISTS.flatMap((query) =>
      ["json", "geojson", "csv", "ndjson"]
        .filter((format) => format !== "csv" || !query.includes("highlight"))
        .map((format) => `/api/items?${query}&format=${format}`),
    );
    const paths = [
      ...lists,
      `/api/items?limit=0&${FACETS}`,
      "/api/suggest?q=halle",
      "/api/suggest?q=secr",
      ...["json", "geojson", "ld%2Bjson"].map((format) => `/api/item/place/a?format=${format}`),
      "/fiche/place/a",
      "/sitemap/1.xml",
    ];
    for (const path of paths) {
      const response = await fixture.ask(path, { key: fixture.discovery });
      assert.equal(response.statusCode, 200, `${path}: ${response.body.slice(0, 200)}`);
      assert.doesNotMatch(response.body, SECRETS, path);
    }
  });

  it("marks no word that only a hidden field has, and returns no text around it", async () => {
    await using fixture = await createFixture({ catalogue: await openInMemory(planted, []) });
    const response = await fixture.ask("/api/items?q=zanzibar&highlight=true", { key: fixture.discovery });
    const { items } = response.json<{ items: { highlights: object }[] }>();
    assert.equal(items.length, 2, "the text of a description is searched on both plans");
    for (const { highlights } of items) assert.doesNotMatch(JSON.stringify(highlights), /<mark>|zanzibar/);
  });

  it("refuses bbox, near, export and the fields of other plans with 403, whether or not something matches", async () => {
    await using fixture = await createFixture({ catalogue: await openInMemory(planted, []) });
    const refused = [
      ["bbox=5.2,46.2,5.3,46.3", "geo"],
      ["bbox=0,0,1,1", "geo"],
      ["bbox=5.2,46.2,5.3,46.3&limit=0&facets=departement", "geo"],
      ["near=46.2,5.2", "geo"],
      ["near=46.2,5.2&fields=distance_km", "geo"],
      ...Object.keys(HIDDEN).map((field) => [`fields=${field}`, "fields"]),
      ...["csv", "ndjson", "geojson"].map((format) => [`limit=all&format=${format}`, "export"]),
      ["limit=all&format=ndjson&since=2020-01-01T00:00:00Z", "export"],
    ];
    for (const [query, feature] of refused) {
      const response = await fixture.ask(`/api/items?${query}`, { key: fixture.discovery });
      const problem = response.json<Record<string, unknown>>();
      assert.deepEqual(
        [response.statusCode, problem["code"], problem["feature"]],
        [403, "plan_required", feature],
        query,
      );
      assert.doesNotMatch(response.body, /total|46\.207/, query);
    }
  });
});
