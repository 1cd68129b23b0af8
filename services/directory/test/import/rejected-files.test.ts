/** Files that no row is read of, with the reason that the user sees. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createImport, ImportRefused } from "../../src/domain/import/import-run.ts";
import { EMPTY_SLUG_STORE } from "../../src/domain/import/slug-registry.ts";
import { chunksOf, importAll, mappingOf, NOW } from "./support.ts";

const MAPPING = { id: "id", title: "nom" };

describe("rejected files", () => {
  const refused = async (path: string, content: string | Uint8Array, reason: RegExp): Promise<void> => {
    await assert.rejects(importAll({ path, content, mapping: MAPPING }), (error) => {
      assert.ok(error instanceof ImportRefused);
      assert.match(error.message, reason);
      return true;
    });
  };

  test("an empty file", () => refused("a.csv", " \n", /a\.csv: the file is empty/));
  test("a file that is not text", () => refused("a.csv", Buffer.from("\u0000\u0001binary"), /not text/));
  test("an unclosed quotation mark", () =>
    refused("a.csv", 'id,nom\n1,a\n2,"b\n3,c\n', /line 3: a quotation mark .* not closed/));
  test("an unclosed quotation mark in a large file", () =>
    refused("a.csv", `id,nom\n1,a\n2,"${"b\n".repeat(3_000_000)}`, /line 3: this row is longer than 4 MiB/));
  test("truncated JSON", () =>
    refused("a.geojson", '{"features":[{"properties":{"id":1,"nom":"x"}}', /JSON is truncated/));
  test("JSON without features", () => refused("a.geojson", '{"items":[{"id":1}]}', /no array "features"/));
  test("a mapping with missing columns, all listed with the nearest name", async () => {
    const mapping = mappingOf({ id: "idd", title: "Nom", website: "zzzzzz" });
    const run = createImport({ type: "place", mapping, now: NOW, slugs: EMPTY_SLUG_STORE, outlines: null });
    await assert.rejects(run.open({ path: "a.csv", bytes: chunksOf("id,nom\n1,a\n") }), (error) => {
      assert.ok(error instanceof ImportRefused);
      assert.deepEqual(error.issues, [
        { path: "/id", message: 'the file has no column "idd"; did you mean "id"?' },
        { path: "/title", message: 'the file has no column "Nom"; did you mean "nom"?' },
        { path: "/website", message: 'the file has no column "zzzzzz"; the file has: id, nom' },
      ]);
      return true;
    });
  });
  test("a file with unknown columns and no mapping", async () => {
    await assert.rejects(
      importAll({ path: "a.csv", content: "alpha,beta\n1,2\n1,2\n", mapping: null }),
      /no column for title was recognised among: alpha, beta/,
    );
  });
  test("a file without a mapping with equal rows or without rows", async () => {
    const guessed = (content: string) => importAll({ path: "a.csv", content, mapping: null });
    await assert.rejects(guessed("id,nom\n1,\n,a\n,\n"), /no column for id .*\("id" has empty or repeated values/);
    await assert.rejects(guessed("id,nom\n"), /the file has no rows/);
  });
  test("does not treat a failed source as the end of the file", async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`id,nom\n${"1,a\n".repeat(20_000)}`);
      throw new Error("disk gone");
    };
    const run = createImport({
      type: "place",
      mapping: mappingOf(MAPPING),
      now: NOW,
      slugs: EMPTY_SLUG_STORE,
      outlines: null,
    });
    const opened = await run.open({ path: "a.csv", bytes: failing() });
    await assert.rejects(async () => {
      for await (const batch of run.rows(opened)) assert.ok(batch.length > 0);
    }, /disk gone/);
  });
});
