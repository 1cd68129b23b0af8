/** The import report, its limit of rejects, and its table for the terminal. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { createImport } from "../../src/domain/import/import-run.ts";
import { renderPreview, renderReport } from "../../src/commands/render-report.ts";
import { isOverLimit, parseRejectLimit } from "../../src/domain/import/report.ts";
import { EMPTY_SLUG_STORE } from "../../src/domain/import/slug-registry.ts";
import { itemFaults } from "./item-errors.ts";
import { chunksOf, importAll, mappingOf, NOW } from "./support.ts";

const MAPPING = {
  id: "id",
  title: "nom",
  description: "texte",
  location: { lat: "lat", lon: "lon" },
  commune: { from: "insee", by: "code" },
  website: "site",
  tags: { from: "themes", split: "|" },
  extra: ["texte"],
};

describe("the report", () => {
  test("has read = accepted + rejected for any file, with valid items", async () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 12 }),
      fc.constantFrom(
        "",
        "0",
        "48.85",
        "2,35",
        "5.34 E",
        "1001.0",
        "2a004",
        "<b>x</b>",
        "a|b|A",
        "www.x.fr",
        "javascript:1",
        "6862000",
        "&eacute;",
      ),
    );
    const rows = fc.array(fc.array(text, { minLength: 6, maxLength: 9 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(rows, async (rows) => {
        const header = ["id", "nom", "texte", "lat", "lon", "insee", "site", "themes"];
        const content = [header, ...rows]
          .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(";"))
          .join("\n");
        const { report, accepted, outcomes } = await importAll({ path: "a.csv", content, mapping: MAPPING });
        const { read, repaired, replaced, rejected } = report.totals;
        assert.equal(read, outcomes.length);
        assert.equal(read, report.totals.accepted + rejected);
        assert.equal(report.totals.accepted, accepted.length);
        assert.equal(replaced, accepted.filter((row) => row.replaces).length);
        assert.equal(
          repaired,
          accepted.filter((row) => row.events.some((event) => event.action === "repaired")).length,
        );
        for (const outcome of outcomes) {
          const rejections = outcome.events.filter((event) => event.action === "rejected");
          assert.equal(rejections.length > 0, outcome.kind === "rejected", "a rejected row has a reason");
        }
        for (const { item } of accepted) assert.deepEqual(itemFaults(item.item), []);
      }),
      { seed: 23, numRuns: 150 },
    );
  });

  test("adds up over several files and detects IDs repeated between them", async () => {
    const mapping = mappingOf({ id: "id", title: "nom", source: { name: "both" } });
    const run = createImport({ type: "actor", mapping, now: NOW, slugs: EMPTY_SLUG_STORE, outlines: null });
    for (const [path, content] of [
      ["a.csv", "id,nom\n1,A\n2,\n"],
      ["b.csv", "id;nom\n1;B\n3;C\n"],
    ]) {
      const opened = await run.open({ path, bytes: chunksOf(content) });
      for await (const batch of run.rows(opened)) assert.ok(batch.length > 0);
    }
    const report = run.report("7-abc");
    assert.deepEqual(
      report.files.map(({ path, separator, read, replaced, rejected }) => [path, separator, read, replaced, rejected]),
      [
        ["a.csv", ",", 2, 0, 1],
        ["b.csv", ";", 2, 1, 0],
      ],
    );
    assert.deepEqual(report.totals, { read: 4, accepted: 3, repaired: 0, replaced: 1, rejected: 1 });
    assert.deepEqual(Object.keys(report), ["files", "totals", "rules", "published"]);
    assert.equal(report.published, "7-abc");
  });

  test("contains at most 20 examples per rule and counts all", async () => {
    const content = `id,nom\n${Array.from({ length: 50 }, (_, id) => `${id},\n`).join("")}`;
    const { report } = await importAll({ path: "a.csv", content, mapping: { id: "id", title: "nom" } });
    assert.equal(report.rules["title_missing"].count, 50);
    assert.equal(report.rules["title_missing"].examples.length, 20);
    assert.deepEqual(report.rules["title_missing"].examples[0], { line: 2, column: "nom", value: null, result: null });
  });
});

test("--max-rejects is a number of rows or a percentage", () => {
  assert.deepEqual(parseRejectLimit("5%"), { percent: 5 });
  assert.deepEqual(parseRejectLimit("0"), { rows: 0 });
  for (const text of ["", "-1", "101%", "5 rows", "1.5", "1e3"]) assert.equal(parseRejectLimit(text), null, text);
  const counts = { read: 100, accepted: 95, repaired: 0, replaced: 0, rejected: 5 };
  assert.equal(isOverLimit(counts, { percent: 5 }), false);
  assert.equal(isOverLimit({ ...counts, rejected: 6 }, { percent: 5 }), true);
  assert.equal(isOverLimit(counts, { rows: 4 }), true);
  assert.equal(isOverLimit({ ...counts, read: 0, rejected: 0 }, { percent: 0 }), false);
});

describe("on the terminal", () => {
  const content = `id,nom,texte,site,insee\n1,${"Long titre ".repeat(10)},"a\nb",www.exemple.fr,1001\n2,,,,\n3,Court,x,en cours,01004\n`;
  const mapping = {
    id: "id",
    title: "nom",
    description: "texte",
    website: "site",
    commune: { from: "insee", by: "code" },
  };
  const path = `un/chemin/${"tres-".repeat(20)}long.csv`;

  test("has no line wider than the terminal", async () => {
    const { report, outcomes } = await importAll({ path, content, mapping });
    for (const width of [40, 60, 80, 200]) {
      const text = `${renderReport(report, width)}\n${renderPreview(outcomes, width)}`;
      for (const line of text.split("\n")) assert.ok(line.length <= width, `${width}: ${line}`);
      if (width > 40) assert.match(text, /long\.csv: csv, utf-8, separated by ","\n/);
    }
  });

  test("says that no problems were found when there are none", async () => {
    const { report } = await importAll({ path: "a.csv", content, mapping });
    assert.match(renderReport({ ...report, rules: {} }, 100), /^No problems found\.$/m);
  });

  test("shows rows read, rules applied, and that no version was published", async () => {
    const { report, outcomes } = await importAll({ path: "a.csv", content, mapping });
    const lines = renderReport(report, 100).split("\n");
    assert.equal(lines[0], "file   read  accepted  repaired  replaced  rejected");
    assert.equal(lines[1], "a.csv     3         2         1         0         1");
    assert.ok(lines.includes('a.csv: csv, utf-8, separated by ","'));
    assert.ok(
      lines.includes("repaired        1  commune_code_restored: INSEE code of a commune restored to 5 characters"),
    );
    assert.ok(lines.includes("                   line 2, insee: 1001 -> 01001"));
    assert.equal(lines.at(-1), "No version was published.");
    const preview = renderPreview(outcomes, 100);
    assert.match(preview, /^line 2: place\/long-titre/);
    assert.match(preview, /\nline 4: rejected \(title_missing\)\n/);
  });
});
