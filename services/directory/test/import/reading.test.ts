/** Reading rows: encodings, dialects, formats, and files of any size. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { decodeToUtf8 } from "../../src/domain/import/decode.ts";
import { detectDialect, detectFormat } from "../../src/domain/import/detect.ts";
import { createImport, ImportRefused } from "../../src/domain/import/import-run.ts";
import { renderPreview, renderReport, unitOf } from "../../src/commands/render-report.ts";
import { EMPTY_SLUG_STORE } from "../../src/domain/import/slug-registry.ts";
import { jsonSlices } from "../../src/domain/import/json-slices.ts";
import { openTable } from "../../src/domain/import/open-table.ts";
import { chunksOf, importAll, mappingOf, NOW } from "./support.ts";
import { runs } from "../support/runs.ts";

const MAPPING = { id: "id", title: "nom" };

async function decode(bytes: Uint8Array, size?: number): Promise<{ text: string; encoding: string }> {
  const decoded = decodeToUtf8(chunksOf(bytes, size));
  const chunks: Uint8Array[] = [];
  for await (const chunk of decoded.chunks) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString(), encoding: decoded.encoding() };
}

describe("encoding", () => {
  test("reads any UTF-8 and UTF-16 text in any chunks", async () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((text) => !text.includes("\0") && !text.startsWith("\uFEFF"));
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (text, size) => {
        assert.equal((await decode(Buffer.from(`\uFEFF${text}`), size)).text, text);
        assert.equal((await decode(Buffer.from(`id\n${text}`), size)).text, `id\n${text}`);
        assert.deepEqual(await decode(Buffer.from(`\uFEFF${text}`, "utf16le"), size), { text, encoding: "utf-16le" });
      }),
      { seed: 7, numRuns: runs(300) },
    );
  });

  test("detects the encoding at the first accent, even after megabytes of ASCII", async () => {
    const ascii = "a;b\n".repeat(300_000);
    const latin = Buffer.concat([Buffer.from(ascii), Buffer.from("été", "latin1")]);
    assert.deepEqual(await decode(latin), { text: `${ascii}été`, encoding: "windows-1252" });
    assert.deepEqual(await decode(Buffer.from(`${ascii}été`)), { text: `${ascii}été`, encoding: "utf-8" });
  });

  const [utf8, latin] = ["été;Musée d’Orsay;cœur\n", "Château;LIBERTÉ\u00A0!\n"];
  const asLatin = Buffer.from(latin, "latin1");
  for (const [name, parts, encoding] of [
    ["UTF-8 with some Windows-1252", [utf8.repeat(50), asLatin, utf8, asLatin], "utf-8 and windows-1252"],
    ["Windows-1252 with some UTF-8", [...Array.from({ length: 50 }, () => asLatin), utf8], "windows-1252 and utf-8"],
    [
      "UTF-8 with a byte order mark and some Windows-1252",
      ["\uFEFF", utf8, asLatin],
      "utf-8 with BOM and windows-1252",
    ],
  ] as const)
    test(`reads every letter of a file that is ${name}, in any chunks`, async () => {
      const bytes = Buffer.concat(["a;b;c\n", ...parts].map((part) => Buffer.from(part)));
      const marked = name.includes("mark") ? Buffer.concat([Buffer.from("\uFEFFa;b;c\n"), bytes.subarray(9)]) : bytes;
      const text = ["a;b;c\n", ...parts].map((part) => (part === asLatin ? latin : String(part).replace("\uFEFF", "")));
      for (const size of [1, 7, 65_536])
        assert.deepEqual(await decode(marked, size), { text: text.join(""), encoding });
    });

  test("reads a line as Windows-1252 even though its bytes could be UTF-8", async () => {
    const bytes = Buffer.from("a\nLIBERTÉ\u00A0!\nété\nLIBERTÉ\u00A0!\nété été été\n", "latin1");
    assert.deepEqual(await decode(bytes), { text: bytes.toString("latin1"), encoding: "windows-1252" });
  });

  test("reports lines in another encoding with the first line and their number", async () => {
    const bytes = Buffer.concat([
      Buffer.from("id,nom\n1,Musée A\n"),
      Buffer.from("2,Musée B\n3,Musée C\n", "latin1"),
      Buffer.from("4,Musée d’été à Bézier\n"),
    ]);
    const { report, accepted } = await importAll({ path: "a.csv", content: bytes, mapping: MAPPING });
    assert.deepEqual(
      accepted.map(({ item }) => item.item.title),
      ["Musée A", "Musée B", "Musée C", "Musée d’été à Bézier"],
    );
    const { count, examples } = report.rules["encoding_mixed"];
    assert.equal(count, 1);
    assert.equal(examples.length, 1);
  });

  test("decodes a line of any length in bounded parts without cutting letters", async () => {
    const text = `[{"id":1,"nom":"${"éœ’".repeat(400_000)}"}]`;
    assert.equal((await decode(Buffer.from(text), 65_521)).text, text);
  });

  test("keeps UTF-8 despite a few damaged bytes, and reports their rows", async () => {
    const bytes = Buffer.concat([
      Buffer.from("id,nom\n1,Château d'été à Besançon\n2,Ra"),
      Buffer.of(0xff),
      Buffer.from("té\n"),
    ]);
    const { report, accepted } = await importAll({ path: "a.csv", content: bytes, mapping: MAPPING });
    assert.equal(report.files[0].encoding, "utf-8");
    assert.equal(accepted[0].item.item.title, "Château d'été à Besançon");
    assert.deepEqual(
      report.rules["bytes_undecodable"].examples.map((example) => example.line),
      [3],
    );
  });
});

describe("format and dialect", () => {
  test("decompresses a gzip file, and rejects a truncated one", async () => {
    const bytes = gzipSync("id;nom\n1;Musée\n");
    for (const chunkSize of [1, 65_536]) {
      const { accepted, report } = await importAll({ path: "a.csv.gz", content: bytes, chunkSize, mapping: MAPPING });
      assert.equal(accepted[0].item.item.title, "Musée");
      assert.equal(report.files[0].format, "csv");
    }
    await assert.rejects(
      importAll({ path: "a.csv.gz", content: bytes.subarray(0, -6), mapping: MAPPING }),
      /a\.csv\.gz: the gzip file is truncated or damaged/,
    );
  });

  test("rejects a single-column file with a hint at --separator, and reads it with the option", async () => {
    const content = "id^nom\n1^Mairie\n";
    for (const mapping of [null, MAPPING])
      await assert.rejects(importAll({ path: "a.csv", content, mapping }), /only one column[\s\S]*--separator/);
    const { accepted } = await importAll({ path: "a.csv", content, mapping: MAPPING, separator: "^" });
    assert.equal(accepted[0].item.item.title, "Mairie");
  });

  test("counts rows of GeoJSON and of a JSON array as features and entries", async () => {
    const rows = [{ id: 1, nom: "A" }, { id: 2 }];
    const features = rows.map((properties) => ({ type: "Feature", properties, geometry: null }));
    for (const [path, content, unit] of [
      ["a.geojson", { type: "FeatureCollection", features }, "feature"],
      ["a.json", rows, "entry"],
    ] as const) {
      const { report, outcomes } = await importAll({ path, content: JSON.stringify(content), mapping: MAPPING });
      assert.equal(report.files[0].format, path.slice(2));
      assert.deepEqual(report.rules["title_missing"].examples[0].line, 2);
      assert.match(renderReport(report, 100), new RegExp(`^ +${unit} 2, nom$`, "m"));
      assert.match(renderPreview(outcomes, 100, unitOf(report.files)), new RegExp(`^${unit} 1: place/a$`, "m"));
    }
  });

  test("detects the format by option, then name, then content", () => {
    assert.equal(detectFormat("a.csv", "x", "ndjson"), "ndjson");
    assert.equal(detectFormat("A.TSV", "a,b"), "tsv");
    assert.equal(detectFormat("a.geojson", ""), "geojson");
    assert.equal(detectFormat("a.json", '{"type": "FeatureCollection", "features": [{}]}'), "geojson");
    assert.equal(detectFormat("a", '{"id":1}\n{"id":2}\n'), "ndjson");
    assert.equal(detectFormat("a", '{"type":"Feature","properties":{}}\n{"type":"Feature"}'), "ndjson");
    assert.equal(detectFormat("a", '[\n{"id":1}]'), "json");
    assert.equal(detectFormat("a", "x\ty\n1\t2"), "tsv");
    assert.equal(detectFormat("a", "x;y\n1;2"), "csv");
    assert.equal(detectFormat("a.csv", '{"features":[]}'), "geojson");
  });

  test("selects the separator with consistent columns, not the most frequent one", () => {
    assert.equal(detectDialect('nom;texte\nA;"un, deux, trois, quatre"\nB;cinq, six\n', "csv").separator, ";");
    assert.equal(detectDialect('nom,prix\nA,"1;2"\nB,3\n', "csv").separator, ",");
    assert.equal(detectDialect("a\tb,c\n1\t2,3\n", "tsv").separator, "\t");
    assert.equal(detectDialect("seul\nun\n", "csv").separator, ",");
    assert.deepEqual(detectDialect('a\tb\n"x\ty"\t2\n"z"\t3\n', "tsv"), {
      separator: "\t",
      quoted: true,
      skipLines: 0,
    });
  });

  test("reads back a written table in any dialect", async () => {
    const cell = fc
      .string({ unit: fc.constantFrom("a", "é", ",", ";", '"', "\n", " ", "\t"), maxLength: 8 })
      .map((text) => `x${text}x`);
    const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.constantFrom(",", ";", "|"),
        fc.constantFrom("\n", "\r\n"),
        async (rows, separator, newline) => {
          const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
          const text = [["id", "b", "c"], ...rows].map((row) => row.map(quote).join(separator)).join(newline);
          const table = await openTable("a.csv", chunksOf(text, 11));
          const read: (readonly string[])[] = [];
          for await (const batch of table.rows) read.push(...batch.map((row) => row.cells));
          assert.deepEqual(read, rows);
          assert.equal(table.separator, separator);
        },
      ),
      { seed: 11, numRuns: runs(100) },
    );
  });

  test("reports a row by its first line", async () => {
    const table = await openTable("a.csv", chunksOf('id,nom\n1,"a\nb\nc"\n\n\n2,d\n3,e'));
    const lines: number[] = [];
    for await (const batch of table.rows) lines.push(...batch.map((row) => row.line));
    assert.deepEqual(lines, [2, 7, 8]);
  });

  test("distinguishes unnamed columns and columns with equal names", async () => {
    const table = await openTable("a.csv", chunksOf(" id ,,nom,nom\n1,2,3,4\n"));
    assert.deepEqual(table.columns, ["id", "column 2", "nom", "nom (2)"]);
  });
});

describe("files of any size", () => {
  test("never buffers a whole FeatureCollection on one line", async () => {
    const feature = JSON.stringify({ type: "Feature", properties: { id: 0, nom: "x".repeat(2000) }, geometry: null });
    let pulled = 0;
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"type":"FeatureCollection","features":[');
      for (; ; pulled++) yield Buffer.from(`${feature.replace('"id":0', `"id":${pulled}`)},`);
    };
    const table = await openTable("a.geojson", endless());
    let seen = 0;
    for await (const batch of table.rows) {
      seen += batch.length;
      if (seen > 5000) break;
    }
    assert.ok(pulled - seen < 100, `${pulled - seen} features were read ahead`);
  });

  test("cuts the same elements out of any JSON as JSON.parse, in any chunks", async () => {
    const element = fc.oneof(
      fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 3 })),
      fc.array(fc.jsonValue(), { maxLength: 3 }),
    );
    const around = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
    const layout = fc.record({
      before: around,
      after: around,
      space: fc.constantFrom(0, 2),
      size: fc.integer({ min: 1, max: 12 }),
      bare: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(element, { maxLength: 5 }),
        layout,
        async (features, { before, after, space, size, bare }) => {
          const text = JSON.stringify(
            bare ? features : { ...before, note: '"features": [{', features, end: after },
            null,
            space,
          );
          const found: unknown[] = [];
          for await (const slices of jsonSlices(chunksOf(text, size), ["features"]))
            found.push(...slices.map((slice): unknown => JSON.parse(slice.text)));
          assert.deepEqual(JSON.stringify(found), JSON.stringify(features));
        },
      ),
      { seed: 29, numRuns: runs(300) },
    );
  });

  test("reports a lone surrogate and publishes it as U+FFFD", async () => {
    const content = '{"id":"1\\ud800","nom":"a \\ud800","note":["\\udfff","é"]}\n';
    const { accepted, report } = await importAll({
      path: "a.ndjson",
      content,
      mapping: { id: "id", title: "nom", tags: { from: "note", split: "|" }, extra: ["note"] },
    });
    const [{ item }] = accepted;
    assert.deepEqual([item.sourceId, item.item.title, item.item.extra], ["1\uFFFD", "a \uFFFD", { note: "\uFFFD|é" }]);
    assert.equal(report.rules["bytes_undecodable"]?.action, "warned");
  });

  test("closes a rejected file", async () => {
    for (const start of ["id,nom\n", "PK\0", "x"]) {
      let closed = false;
      const source = async function* (): AsyncGenerator<Uint8Array> {
        try {
          for (;;) yield Buffer.from(start.repeat(20_000));
        } finally {
          closed = true;
        }
      };
      const mapping = mappingOf({ id: "absent", title: "nom" });
      const run = createImport({ type: "place", mapping, now: NOW, slugs: EMPTY_SLUG_STORE, outlines: null });
      await assert.rejects(run.open({ path: "a.csv", bytes: source() }), ImportRefused);
      assert.equal(closed, true, start);
    }
  });

  test("leaves nothing running when a reader stops early", async () => {
    let closed = false;
    const source = async function* (): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from("id,nom\n");
        for (;;) yield Buffer.from("1,a\n".repeat(20_000));
      } finally {
        closed = true;
      }
    };
    const table = await openTable("a.csv", source());
    for await (const batch of table.rows) if (batch.length > 0) break;
    assert.equal(closed, true);
  });
});
