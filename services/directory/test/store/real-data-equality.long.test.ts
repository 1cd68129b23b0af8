/**
 * Compares all engines and the oracle over the sample and real files, imported by the CLI with the mappings of
 * docs/mappings. Queries use the items' own words (whole, cut or mistyped), tags, places and départements.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { fold, splitFolded } from "../../src/domain/analyse.ts";
import type { Catalogue, NormalQuery, StoredItem, TagLabel } from "../../src/domain/catalogue.ts";
import { compareBytes } from "../../src/domain/index/string-table.ts";
import { SAMPLE_TAGS, sampleItems } from "../../src/domain/seed-data/sample-items.ts";
import { createDirectoryStore } from "../../src/store/directory-store.ts";
import { DIRECTORY_MIGRATIONS, type StoreTables } from "../../src/store/tables.ts";
import { openStore } from "../../src/store/open-store.ts";
import { openInMemory } from "../support/open-in-memory.ts";
import { openOracle } from "../support/oracle.ts";
import { randomQuery } from "../support/random-queries.ts";
import { seeded, type Random } from "../support/random.ts";
import { runCommand } from "../support/run-command.ts";
import { collected, idOf } from "../support/stored-item.ts";

const QUERIES = 1_000;
const DATA = fileURLToPath(new URL("../../../../../shared/data/directory/", import.meta.url));
const MAPPINGS = fileURLToPath(new URL("../../../../docs/mappings/", import.meta.url));
/** BASILIC has 38,056 rows, too many for a scan per query. */
const FILES = [
  ["musees-de-france-base-museofile.csv", "museofile", "place"],
  ["bnlc-.csv", "bnlc", "place"],
  ["map_bzh_fablab.geojson", "fablabs", "actor"],
] as const;

const missing = existsSync(DATA) ? false : `the real data are not at ${DATA}`;
if (missing !== false && process.env["CI"] !== undefined) {
  test("the engines agree on real data", () => assert.fail(`${missing}; in CI they must be.`));
} else {
  const stores = { migrations: DIRECTORY_MIGRATIONS, engines: ["PostgreSQL" as const], postgis: true };
  forEachEngine<StoreTables>("both engines over real data", stores, (_open, { createLocation }) => {
    let folder = "";
    let items: StoredItem[] = [];
    let labels: TagLabel[] = [];
    before(async () => {
      if (missing !== false) return;
      folder = await mkdtemp(join(tmpdir(), "triptych-real-"));
      ({ items, labels } = await importAll(join(folder, "data")));
    });
    after(() => rm(folder, { recursive: true, force: true }));

    test(
      "return the same totals, items, distances, facets and corrections, and the same order but for relevance",
      { skip: missing },
      async () => {
        await using location = await createLocation();
        await using database = await location.open();
        const store = createDirectoryStore({
          database,
          location,
          dataFolder: folder,
          engine: "postgres",
          indexBytes: 0,
          report: () => {},
          now: () => 0,
        });
        await store.publish({
          cause: "test",
          async apply(staging) {
            await staging.upsert(items, 0);
            await staging.upsertLabels(labels.map((label) => ({ ...label, uses: 1 })));
          },
        });
        const source = await store.openSource();
        const [postgres, memory, oracle] = [
          source.current(),
          await openInMemory(items, labels),
          openOracle(items, labels),
        ];
        assert.ok(postgres !== null);
        const random = seeded(2026);
        const met = { matches: 0, corrections: 0 };
        for (let round = 0; round < QUERIES; round++) {
          const { query, facets } = realQuery(random, items);
          const actual = await answerOf(postgres, query);
          const expected = await oracle.search(query);
          assert.deepEqual(await answerOf(memory, query), expected, JSON.stringify(query));
          if (query.sort === "relevance") {
            const matches = (await oracle.search({ ...query, offset: 0, limit: expected.total })).hits;
            const isSame = (hit: (typeof matches)[number]) =>
              matches.some(({ id, distanceKm }) => id === hit.id && distanceKm === hit.distanceKm);
            assert.ok(actual.hits.every(isSame), JSON.stringify(query));
            assert.equal(actual.hits.length, expected.hits.length);
            assert.deepEqual({ ...actual, hits: [] }, { ...expected, hits: [] }, JSON.stringify(query));
          } else assert.deepEqual(actual, expected, JSON.stringify(query));
          assert.deepEqual(
            await postgres.facets(query, facets),
            await memory.facets(query, facets),
            JSON.stringify(query),
          );
          if (actual.total > 0) met.matches++;
          if (actual.corrected !== null) met.corrections++;
        }
        assert.ok(met.matches > QUERIES / 4 && met.corrections > 0, JSON.stringify(met));
        assert.deepEqual(await postgres.meta(), await memory.meta());
        await source.close();
      },
    );
  });
}

async function importAll(data: string): Promise<{ items: StoredItem[]; labels: TagLabel[] }> {
  for (const [file, mapping, type] of FILES) {
    const args = ["import", join(DATA, file), "--type", type, "--map", join(MAPPINGS, `${mapping}.json`)];
    const { code, stderr } = await runCommand(args, { data, now: () => Date.UTC(2026, 10, 20) });
    assert.equal(code, 0, stderr);
  }
  await using store = await openStore(
    { TRIPTYCH_DATA: data, DIRECTORY_ENGINE: "memory" },
    { report: () => {}, now: Date.now },
  );
  const { versions } = store.directory;
  const { number = 0 } = (await versions.published()) ?? {};
  // The first import has removed the sample from the store; here both are combined.
  const all = [...(await collected(versions.items(number))), ...sampleItems(0)];
  const byAddress = new Map(all.map((stored) => [`${stored.item.type}/${stored.item.slug}`, stored]));
  const items = [...byAddress.values()].sort(
    (a, b) => compareBytes(a.item.type, b.item.type) || compareBytes(a.item.slug, b.item.slug),
  );
  const bySlug = new Map([...SAMPLE_TAGS, ...(await versions.labels(number))].map((label) => [label.slug, label]));
  return { items, labels: [...bySlug.values()] };
}

/** A random query about these items. */
function realQuery(random: Random, items: readonly StoredItem[]) {
  const { query, facets } = randomQuery(random, items);
  const { item } = random.pick(items);
  const tokens = splitFolded(fold(`${item.title} ${item.summary}`));
  const text = query.text === null || tokens.length === 0 ? null : textOf(random, tokens);
  const tags = query.tags.map(() =>
    [...new Set([random.pick([...item.tags, "inconnu"]), ...random.pick(items).item.tags.slice(0, 1)])].sort(),
  );
  const departements = query.departements.length === 0 || item.departement === null ? [] : [item.departement.code];
  const sort = text === null && query.sort === "relevance" ? ("title" as const) : query.sort;
  return { query: { ...query, text, tags, departements, sort, changedAfter: null } satisfies NormalQuery, facets };
}

function textOf(random: Random, tokens: readonly string[]): string {
  const chosen = Array.from({ length: 1 + random.below(2) }, () => {
    const letters = Array.from(random.pick(tokens));
    const at = random.below(letters.length);
    if (random.chance(0.2)) return letters.slice(0, Math.max(3, at)).join("");
    if (random.chance(0.2)) return letters.toSpliced(at, 1).join("") || letters.join("");
    return letters.join("");
  });
  return chosen.join(" ") + random.pick(["", " "]);
}

async function answerOf(catalogue: Catalogue, query: NormalQuery) {
  const { total, hits, corrected, relaxed, unknownTags } = await catalogue.search(query);
  return {
    total,
    hits: hits.map((hit) => ({ id: idOf(hit), distanceKm: hit.distanceKm })),
    corrected,
    relaxed,
    unknownTags,
  };
}
