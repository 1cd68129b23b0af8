/** The four real files with the documented mappings, against known facts. */
import assert from "node:assert/strict";
import { createReadStream, readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import type { Boundaries } from "../../src/domain/import/boundaries.ts";
import { createImport, type AcceptedRow } from "../../src/domain/import/import-run.ts";
import type { ImportReport } from "../../src/domain/import/report.ts";
import { EMPTY_SLUG_STORE } from "../../src/domain/import/slug-registry.ts";
import { itemFaults } from "./item-errors.ts";
import { mappingOf, NOW, outlinesOf, readJson, realDataFolder } from "./support.ts";

interface RealImport {
  readonly report: ImportReport;
  readonly rows: readonly AcceptedRow[];
}

async function importReal(
  folder: URL,
  file: string,
  mapping: string,
  outlines: Boundaries | null = null,
): Promise<RealImport> {
  const text = readFileSync(new URL(`../../../../docs/mappings/${mapping}.json`, import.meta.url), "utf8");
  const run = createImport({ type: "place", mapping: mappingOf(text), now: NOW, slugs: EMPTY_SLUG_STORE, outlines });
  const opened = await run.open({ path: file, bytes: createReadStream(new URL(file, folder)) });
  const rows: AcceptedRow[] = [];
  for await (const batch of run.rows(opened)) rows.push(...batch.filter((row) => row.kind === "accepted"));
  // All rows of a short file, every seventh of a long one.
  const checked = rows.filter((_, index) => rows.length < 5000 || index % 7 === 0);
  const issues = checked.flatMap(({ item, line }) => itemFaults(item.item).map((issue) => `line ${line}: ${issue}`));
  assert.deepEqual(issues.slice(0, 5), []);
  assert.equal(new Set(rows.map(({ item }) => item.item.slug)).size, rows.length, "slugs are unique");
  return { report: run.report(null), rows };
}

/** Rows of a département; null = without one. */
function inDepartement({ rows }: RealImport, code: string | null): number {
  return rows.filter(({ item }) => (item.item.departement?.code ?? null) === code).length;
}

const outlines = (folder: URL): Boundaries =>
  outlinesOf(readJson(new URL("departements-version-simplifiee.geojson", folder)));
const folderOf = (context: TestContext): URL | null => realDataFolder(context);

test("Museofile: imports all 1,216 museums, with today's régions and URLs with a scheme", async (context) => {
  const folder = folderOf(context);
  if (folder === null) return;
  const imported = await importReal(folder, "musees-de-france-base-museofile.csv", "museofile");
  const { report, rows } = imported;
  assert.deepEqual(
    [report.totals.read, report.totals.accepted, report.files[0].separator, report.files[0].encoding],
    [1216, 1216, ";", "utf-8"],
  );
  assert.equal(rows.filter(({ item }) => item.item.location === null).length, 102, "rows without geolocalisation");
  assert.equal(inDepartement(imported, null), 1, "Saint-Pierre-et-Miquelon is not a département");
  assert.equal(new Set(rows.map(({ item }) => item.item.departement?.code)).size, 102, "101 and none");
  assert.deepEqual(
    [inDepartement(imported, "974"), inDepartement(imported, "2A"), inDepartement(imported, "2B")],
    [5, 5, 5],
  );
  assert.equal(new Set(rows.map(({ item }) => item.item.region?.nom)).size, 19, "18 and none");
  assert.equal(report.rules["region_from_departement"].count, 19, "DROM is not a région");
  // 1,054 without a scheme, of which 9 are not URLs.
  assert.equal(report.rules["url_scheme_added"].count, 1045);
  assert.equal(report.rules["url_dropped"].count, 9);
  assert.ok(
    rows.every(({ item }) => item.item.phone === null && item.item.email === null),
    "not imported unless mapped",
  );
  const unnamed = rows.find(({ item }) => item.sourceId === "M1136");
  assert.equal(unnamed?.item.item.title, "Musée de site : Usine, Trélon");
});

/** Four seconds of CPU time: only in the long form. */
if (process.env["TEST_LONG"] !== undefined)
  test("BASILIC: imports all 38,056 rows; INSEE codes restore Paris, Lyon and Marseille", async (context) => {
    const folder = folderOf(context);
    if (folder === null) return;
    const imported = await importReal(folder, "culture-communes-basilic.tsv", "basilic");
    const { report, rows } = imported;
    assert.deepEqual(
      [report.totals.read, report.totals.accepted, report.files[0].format, report.files[0].separator],
      [38_056, 38_056, "tsv", "\t"],
    );
    assert.equal(report.rules["commune_code_restored"].count, 38_056, "every code went through a float");
    assert.equal(
      new Set(rows.map(({ item }) => item.item.commune?.code)).size,
      22_084,
      "23 codes are of former communes",
    );
    assert.equal(rows.filter(({ item }) => item.item.location === null).length, 93);
    for (const [code, nom, count] of [
      ["75056", "Paris", 17],
      ["69123", "Lyon", 16],
      ["13055", "Marseille", 15],
    ] as const) {
      const found = rows.filter(({ item }) => item.item.commune?.code === code);
      assert.equal(found.length, count);
      for (const { item } of found) {
        assert.equal(item.item.commune?.nom, nom);
        assert.equal(item.item.departement?.code, code.slice(0, 2));
        assert.ok(item.item.title.endsWith(` - ${nom}`), item.item.title);
      }
    }
    assert.equal(inDepartement(imported, "75"), 17, "all of Paris");
    assert.equal(inDepartement(imported, "974"), 95);
    assert.equal(inDepartement(imported, "976"), 22, "Mayotte has coordinates and codes only");
    assert.equal(inDepartement(imported, null), 44, "97501… 98832 and 99999 are in no département");
    assert.equal(
      inDepartement(imported, "2A") + inDepartement(imported, "2B"),
      0,
      "the file has no Corsican row to recover",
    );
  });

test("BNLC: imports all 2,473 places, including La Réunion and 11 closed ones", async (context) => {
  const folder = folderOf(context);
  if (folder === null) return;
  const imported = await importReal(folder, "bnlc-.csv", "bnlc");
  const { report, rows } = imported;
  assert.deepEqual([report.totals.read, report.totals.accepted, report.totals.repaired], [2473, 2473, 1961]);
  assert.ok(rows.every(({ item }) => item.item.location !== null && item.item.departement !== null));
  assert.equal(inDepartement(imported, "974"), 10);
  assert.equal(
    rows.filter(({ item }) => item.item.extra["ouvert"] === false && item.item.tags.includes("ferme")).length,
    11,
  );
  assert.equal(rows.filter(({ item }) => item.item.address === null).length, 222);
  assert.equal(report.rules["location_outside_departement"].count, 2);
  assert.ok(
    rows.every(({ item }) => item.item.licence === "ODbL-1.0" && item.item.sources[0].licence === "ODbL-1.0"),
    "the ODbL rows can be told apart",
  );
});

test("Breton fablabs: imports all 121, without email addresses and telephone numbers", async (context) => {
  const folder = folderOf(context);
  if (folder === null) return;
  const imported = await importReal(folder, "map_bzh_fablab.geojson", "fablabs");
  const { report, rows } = imported;
  assert.deepEqual([report.totals.read, report.totals.accepted, report.files[0].separator], [121, 121, null]);
  assert.deepEqual(
    ["22", "29", "35", "44", "56"].map((code) => inDepartement(imported, code)),
    [12, 30, 35, 11, 33],
  );
  const text = JSON.stringify([rows, report]);
  assert.doesNotMatch(text, /[\w.-]+@[\w-]+\.[a-z]/i);
  assert.doesNotMatch(text, /"0\d(?:[ .]?\d\d){4}/);
  assert.ok(rows.every(({ item }) => item.item.location !== null && !/<br/.test(JSON.stringify(item))));
});

test("the outlines agree with the postal codes of the fablabs and the INSEE codes of the car-sharing places", async (context) => {
  const folder = folderOf(context);
  if (folder === null) return;
  const around = outlines(folder);
  assert.equal(around.codes.length, 96);
  for (const [file, mapping, most] of [
    ["map_bzh_fablab.geojson", "fablabs", 3],
    ["bnlc-.csv", "bnlc", 25],
  ] as const) {
    const { rows } = await importReal(folder, file, mapping);
    const differing = rows.filter(({ item: { item } }) => {
      const code = item.departement?.code ?? "";
      return (
        item.location !== null &&
        !code.startsWith("97") &&
        around.departementAt(item.location.lat, item.location.lon) !== code
      );
    });
    assert.ok(differing.length <= most, `${file}: ${differing.length} rows lie elsewhere`);
  }
});
