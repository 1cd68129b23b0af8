import assert from "node:assert/strict";
import { test } from "node:test";
import { describeMap } from "../map/src/map-note.ts";
import type { Item } from "../map/src/api.ts";
import type { Anchor } from "../map/src/background.ts";
import { layoutOf, visibleItems } from "../map/src/layout.ts";
import { EMPTY_VIEW } from "../map/src/view-state.ts";
import { createTranslator } from "../map/src/i18n.ts";

const anchor = (code: string, slug: string, region: string, lat: number, lon: number): Anchor => ({
  code,
  slug,
  region,
  nom: slug,
  town: slug,
  place: { lat, lon },
  isCapital: false,
});
const anchors = [
  anchor("22", "cotes-d-armor", "bretagne", 48.51, -2.77),
  anchor("29", "finistere", "bretagne", 48, -4.1),
  anchor("35", "ille-et-vilaine", "bretagne", 48.11, -1.68),
  anchor("56", "morbihan", "bretagne", 47.66, -2.76),
  anchor("974", "la-reunion", "la-reunion", -20.88, 55.45),
];
const translator = createTranslator("en");

const item = (slug: string, location: { lat: number; lon: number } | null): Item => ({
  type: "place",
  slug,
  url: `http://127.0.0.1/api/item/place/${slug}`,
  title: slug,
  summary: "",
  commune: null,
  departement: null,
  region: null,
  tags: [],
  updated_at: "2026-11-27T00:00:00Z",
  location,
});

const brest = item("brest", { lat: 48.39, lon: -4.49 });
const nowhere = item("nowhere", null);
const noumea = item("noumea", { lat: -22.27, lon: 166.45 });

/** Two départements of Brittany with counts; `total` results, of which only `items` are loaded. */
const found = (items: readonly Item[], total = items.length) => ({
  items,
  total,
  version: "1-a",
  facets: {},
  counts: {
    departement: [
      { value: "finistere", label: "Finistère", count: 7 },
      { value: "morbihan", label: "Morbihan", count: 2 },
    ],
    region: [{ value: "bretagne", label: "Bretagne", count: 9 }],
  },
  corrected: {},
  relaxed: {},
  unknownTags: [],
  normal: {},
});
const layoutFor = (plan: "discovery" | "pro" | null, results: ReturnType<typeof found> | null, view = EMPTY_VIEW) =>
  layoutOf({ plan, results, view, anchors, chosen: null });

test("shows points for a small search on Pro, and the number of items outside the map", () => {
  const { layout, summary } = layoutFor("pro", found([brest, nowhere, noumea]));
  assert.deepEqual([layout.points.length, layout.counts, layout.regionCounts], [3, [], []]);
  assert.deepEqual(describeMap(translator, summary), {
    text: "1 without coordinates · 1 outside the map",
    offerAll: false,
  });
});

test("shows counts for a large search on Pro, and offers to load the points", () => {
  const { layout, summary } = layoutFor("pro", found([brest], 5000));
  assert.deepEqual(
    layout.counts.map(({ label, count }) => [label, count]),
    [
      ["Finistère", 7],
      ["Morbihan", 2],
    ],
  );
  assert.deepEqual(
    layout.regionCounts.map(({ label, count }) => [label, count]),
    [["Bretagne", 9]],
  );
  const { text, offerAll } = describeMap(translator, summary);
  assert.match(text, /More than 400 results.*4,991 without département/);
  assert.equal(offerAll, true);
});

test("shows only counts and no circle on Discovery", () => {
  const { layout, summary } = layoutFor("discovery", found([brest]), { ...EMPTY_VIEW, near: { lat: 48, lon: -4 } });
  assert.deepEqual([layout.points, layout.circle, layout.counts.length], [[], null, 2]);
  const { text, offerAll } = describeMap(translator, summary);
  assert.match(text, /Discovery plan does not include coordinates/);
  assert.equal(offerAll, false);
});

test("highlights a selected département or région on the land and in the counts", () => {
  const byRegion = layoutFor("pro", found([brest], 5000), { ...EMPTY_VIEW, region: ["bretagne"] }).layout;
  assert.deepEqual(
    byRegion.chosenDepartements.toSorted((one, other) => Number(one) - Number(other)),
    ["22", "29", "35", "56"],
  );
  assert.equal(byRegion.regionCounts[0]?.chosen, true);
  const byDepartement = layoutFor("pro", found([brest], 5000), { ...EMPTY_VIEW, departements: ["finistere"] }).layout;
  assert.deepEqual(
    [byDepartement.chosenDepartements, byDepartement.counts.map((count) => count.chosen)],
    [["29"], [true, false]],
  );
});

test("shows only the background without a key", () => {
  const { layout, summary } = layoutFor(null, null);
  assert.deepEqual([layout.points, layout.counts, layout.chosenDepartements], [[], [], []]);
  assert.equal(describeMap(translator, summary).text, "");
});

test("lists the items in the visible area, those without a location by their préfecture", () => {
  const inFinistere = { ...nowhere, departement: { code: "29", slug: "finistere", nom: "Finistère" } };
  const items = [brest, nowhere, noumea, inFinistere];
  assert.deepEqual(visibleItems(items, { bbox: [-5, 47, -4, 49] }, anchors), [brest, inFinistere]);
  assert.deepEqual(visibleItems(items, { bbox: null }, anchors), items);
});
