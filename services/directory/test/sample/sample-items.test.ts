import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { ActorItem, ArticleItem, ITEM_TYPES, PlaceItem, allFieldNames } from "@triptych/contracts";
import { Type } from "typebox";
import { Value } from "typebox/value";
import {
  DEPARTEMENTS,
  REGIONS,
  departementByCode,
  departementOfCommune,
  regionByCode,
} from "../../src/domain/reference.ts";
import { SAMPLE_LICENCE, SAMPLE_SOURCE, SAMPLE_TAGS, sampleItems } from "../../src/domain/seed-data/sample-items.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const items = sampleItems(NOW).map((stored) => stored.item);
const places = items.filter((item) => item.type === "place");
const actors = items.filter((item) => item.type === "actor");
const articles = items.filter((item) => "mentions" in item);

const Communes = Type.Array(
  Type.Object({
    code: Type.String(),
    nom: Type.String(),
    type: Type.String(),
    codesPostaux: Type.Optional(Type.Array(Type.String())),
  }),
);
const OfficialDepartements = Type.Array(Type.Object({ code: Type.String(), chefLieu: Type.Optional(Type.String()) }));

/** The official lists are JSON files of the package. */
function official(name: string): unknown {
  const path = createRequire(import.meta.url).resolve(`@etalab/decoupage-administratif/data/${name}.json`);
  return JSON.parse(readFileSync(path, "utf8"));
}

const byText = (one = "", other = "") => (one < other ? -1 : Number(one > other));

test("the sample has one place and one actor per département and one article per région", () => {
  const codes = DEPARTEMENTS.map((departement) => departement.code);
  assert.deepEqual([places.length, actors.length, articles.length], [101, 101, 18]);
  assert.deepEqual(places.map((item) => item.departement?.code).toSorted(byText), codes.toSorted(byText));
  assert.deepEqual(actors.map((item) => item.departement?.code).toSorted(byText), codes.toSorted(byText));
  assert.deepEqual(
    articles.map((item) => item.region?.code).toSorted(byText),
    REGIONS.map((region) => region.code).toSorted(byText),
  );
});

test("every code, slug and name of the sample is that of the reference lists", () => {
  for (const { departement, region, slug } of items) {
    if (departement !== null) {
      const { code, slug, nom } = departementByCode(departement.code) ?? {};
      assert.deepEqual(departement, { code, slug, nom });
      assert.equal(departementByCode(departement.code)?.region, region?.code);
    }
    assert.deepEqual(region, regionByCode(region?.code ?? ""), slug);
  }
});

test("every town has the name, code and postal code of the official list of communes", () => {
  const communes = new Map(
    Value.Parse(Communes, official("communes"))
      .filter((entry) => entry.type === "commune-actuelle")
      .map((entry) => [entry.code, entry]),
  );
  for (const item of [...places, ...actors]) {
    const commune = communes.get(item.commune?.code ?? "");
    assert.equal(commune?.nom, item.commune?.nom);
    assert.equal(departementOfCommune(item.commune?.code ?? "")?.code, item.departement?.code);
    if (item.address !== null) assert.ok(commune?.codesPostaux?.includes(item.address.code_postal ?? ""), item.slug);
  }
});

test("every town is the official chef-lieu, except Cergy: the chef-lieu is Pontoise", () => {
  const chefsLieux = new Map(
    Value.Parse(OfficialDepartements, official("departements")).map((entry) => [entry.code, entry.chefLieu]),
  );
  const others = places.filter((item) => item.commune?.code !== chefsLieux.get(item.departement?.code ?? ""));
  assert.deepEqual(
    others.map((item) => item.slug),
    ["cergy"],
  );
});

test("every place lies in the box of its département, and no two places coincide", () => {
  for (const { location, departement, slug } of places) {
    const [west, south, east, north] = departementByCode(departement?.code ?? "")?.box ?? [0, 0, 0, 0];
    assert.ok(location !== null && location.lon >= west && location.lon <= east, slug);
    assert.ok(location.lat >= south && location.lat <= north, slug);
  }
  assert.equal(new Set(places.map(({ location }) => `${location?.lat} ${location?.lon}`)).size, 101);
});

test("every item has exactly the keys of its type and is valid on the wire", () => {
  const schemas = { place: PlaceItem, actor: ActorItem, article: ArticleItem };
  for (const item of items) {
    const wire = { ...item, url: `http://127.0.0.1:7002/api/item/${item.type}/${item.slug}` };
    assert.deepEqual(Object.keys(wire).toSorted(byText), allFieldNames(item.type).toSorted(byText));
    assert.deepEqual([...Value.Errors(schemas[item.type], wire)], [], item.slug);
  }
});

test("slugs are unique per type and read like their titles", () => {
  for (const type of ITEM_TYPES) {
    const slugs = items.filter((item) => item.type === type).map((item) => item.slug);
    assert.equal(new Set(slugs).size, slugs.length);
  }
  assert.ok(places.some((item) => item.slug === "bourg-en-bresse"));
  assert.ok(actors.some((item) => item.slug === "prefecture-de-l-ain"));
  assert.ok(actors.some((item) => item.slug === "prefecture-de-la-reunion"));
  assert.ok(articles.some((item) => item.slug === "bretagne"));
});

test("every item carries at least one tag, sorted, with a label", () => {
  const labelled = SAMPLE_TAGS.map((tag) => tag.slug);
  for (const { tags, slug } of items) {
    assert.ok(tags.length > 0, slug);
    assert.deepEqual(tags, [...new Set(tags)].toSorted(byText));
    assert.deepEqual(
      tags.filter((tag) => !labelled.includes(tag)),
      [],
    );
  }
  assert.deepEqual([...new Set(items.flatMap((item) => item.tags))].toSorted(byText), labelled);
});

test("an article mentions the préfecture towns of its région and the préfecture of its seat, all of which exist", () => {
  for (const { mentions, region, slug } of articles) {
    const towns = places.filter((item) => item.region?.code === region?.code).map((item) => item.slug);
    assert.deepEqual(
      mentions
        .filter((mention) => mention.type === "place")
        .map((mention) => mention.slug)
        .toSorted(byText),
      towns.toSorted(byText),
    );
    const prefectures = actors.filter(
      (item) => item.region?.code === region?.code && item.tags.includes("chef-lieu-de-region"),
    );
    assert.deepEqual(
      mentions.filter((mention) => mention.type === "actor").map((mention) => mention.slug),
      prefectures.map((item) => item.slug),
      slug,
    );
  }
});

test("texts are complete sentences within their limits, and all different", () => {
  for (const { summary, description, slug } of items) {
    assert.match(summary, /^[\p{Lu}].{20,}\.$/u, slug);
    const sentences = description?.match(/[.]( |$)/g)?.length ?? 0;
    assert.ok(sentences >= 2 && sentences <= 4, `${slug}: ${sentences} sentences`);
    assert.doesNotMatch(`${summary} ${description}`, /undefined|null|  | à Le |de Le | \./, slug);
  }
  assert.equal(new Set(items.map((item) => item.description)).size, items.length);
});

test("the sample has its source, its license and its publication time", () => {
  const time = new Date(NOW).toISOString();
  for (const stored of sampleItems(NOW)) {
    assert.equal(stored.sourceName, SAMPLE_SOURCE);
    assert.equal(stored.sourceId, `${stored.item.type}/${stored.item.slug}`);
    assert.deepEqual(stored.item.sources, [
      { name: "Triptych sample", url: null, licence: "CC0-1.0", retrieved_at: time },
    ]);
    assert.equal(stored.item.licence, SAMPLE_LICENCE);
    assert.deepEqual([stored.item.updated_at, stored.item.created_at], [time, time]);
  }
});

test("the same time gives the same sample", () => {
  assert.deepEqual(sampleItems(NOW), sampleItems(NOW));
});
