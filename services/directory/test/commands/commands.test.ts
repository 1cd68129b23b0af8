/** Commands on versions, outlines and billing, as users see them. */
import assert from "node:assert/strict";
import { lstat, readFile, symlink, writeFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { collected } from "../support/stored-item.ts";
import { createCommandFixture, CSV, slugs, withStore } from "./command-fixture.ts";

const { fresh, musees, path } = createCommandFixture();

describe("versions", () => {
  test("rollback publishes old content under a new number, verify agrees, export writes it", async () => {
    const { run, data } = fresh();
    await run(...musees());
    await writeFile(path("more.csv"), `${CSV}3,Musée des Beaux-Arts,Lyon,45.767,4.8337,Art\n`);
    await run(...musees().map((arg) => (arg === path("musees.csv") ? path("more.csv") : arg)));
    const back = await run("rollback", "1", "--yes");
    assert.equal(back.code, 0, back.stderr);
    assert.match(back.stdout, /^3-/);
    assert.deepEqual(await slugs(data), ["musee-de-l-ain", "musee-ingres"]);
    assert.match((await run("versions")).stdout, /3-[\s\S]*rollback to 1-[\s\S]*2-[\s\S]*import more\.csv[\s\S]*1-/);
    assert.match((await run("rollback", "3", "--yes")).stderr, /No changes/);
    assert.equal((await run("rollback", "9", "--yes")).code, 1);
    const again = JSON.parse((await run("rollback", "2", "--yes", "--json")).stdout);
    assert.deepEqual([again.version.slice(0, 2), again.outcome], ["4-", "published"]);
    await run("rollback", "1", "--yes");
    assert.deepEqual(JSON.parse((await run("verify", "--json")).stdout), { valid: true, findings: [] });
    const verified = await run("verify");
    assert.equal(verified.code, 0, verified.stderr + verified.stdout);

    const exported = JSON.parse((await run("export", path("all.ndjson"), "--json")).stdout);
    assert.deepEqual([exported.items, exported.file], [2, path("all.ndjson")]);
    const lines = (await readFile(path("all.ndjson"), "utf8"))
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    assert.deepEqual(lines.map((line) => (line as { slug: string; source_id: string }).source_id).sort(), ["1", "2"]);
  });

  test("export writes to a link, a pipe or a device without replacing it", async () => {
    const { run } = fresh();
    await run(...musees());
    await writeFile(path("target.ndjson"), "");
    await symlink(path("target.ndjson"), path("link.ndjson"));
    assert.equal((await run("export", path("link.ndjson"))).code, 0);
    assert.ok((await lstat(path("link.ndjson"))).isSymbolicLink());
    assert.equal((await readFile(path("target.ndjson"), "utf8")).trim().split("\n").length, 2);
  });

  test("verify finds rows changed from outside", async () => {
    const { run, data } = fresh();
    await run(...musees());
    await withStore(data, async ({ database }) => {
      const { body } = await database.db
        .selectFrom("item")
        .select("body")
        .where("slug", "=", "musee-ingres")
        .executeTakeFirstOrThrow();
      await database.db
        .updateTable("item")
        .set({ body: body.replace("Montauban", "Toulouse") })
        .where("slug", "=", "musee-ingres")
        .execute();
    });
    const { code, stdout } = await run("verify");
    assert.equal(code, 1);
    assert.match(stdout, /musee-ingres is served with different content[\s\S]*do not match the published content hash/);
  });
});

describe("outlines and billing", () => {
  test("shipped outlines give the département of a point when none are installed", async () => {
    const { run, data } = fresh();
    await writeFile(
      path("points.csv"),
      [
        "id,titre,latitude,longitude",
        "1,Ajaccio,41.9192,8.7386",
        "2,Corte,42.3061,9.1509",
        "3,Valréas,44.3853,4.9906",
        "4,Valence,44.9334,4.8924",
        "5,Paris,48.8566,2.3522",
        "6,Bruxelles,50.8503,4.3517",
        "",
      ].join("\n"),
    );
    const map = { id: "id", title: "titre", location: { lat: "latitude", lon: "longitude" } };
    await writeFile(path("points.json"), JSON.stringify(map));
    const { code, stderr } = await run("import", path("points.csv"), "--type", "place", "--map", path("points.json"));
    assert.equal(code, 0, stderr);
    const items = await withStore(data, async ({ directory }) => collected(directory.versions.items(1)));
    assert.deepEqual(Object.fromEntries(items.map(({ item }) => [item.title, item.departement?.code ?? null])), {
      Ajaccio: "2A",
      Corte: "2B",
      Valréas: "84",
      Valence: "26",
      Paris: "75",
      Bruxelles: null,
    });
    assert.equal(items.find(({ item }) => item.title === "Corte")?.item.region?.nom, "Corse");
  });

  test("installed outlines give a missing département of a point", async () => {
    const { run, data } = fresh();
    const ring = [
      [4.7, 45.6],
      [6.2, 45.6],
      [6.2, 46.5],
      [4.7, 46.5],
      [4.7, 45.6],
    ];
    const collection = {
      type: "FeatureCollection",
      features: [{ type: "Feature", properties: { code: "01" }, geometry: { type: "Polygon", coordinates: [ring] } }],
    };
    await writeFile(path("outlines.geojson"), JSON.stringify(collection));
    assert.equal((await run("outlines", path("outlines.geojson"))).code, 0);
    await run(...musees());
    const items = await withStore(data, async ({ directory }) => collected(directory.versions.items(1)));
    assert.deepEqual(
      items.map(({ item }) => item.departement?.code ?? null),
      ["01", "82"],
      "the second from its commune",
    );
    await writeFile(path("bad.geojson"), '{"type":"FeatureCollection","features":[{"type":"Feature"}]}');
    const refused = await run("outlines", path("bad.geojson"));
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /feature 1: has no geometry/);
  });

  test("usage, close-day and invoices work without usage; invoices reject a month that has not ended", async () => {
    const { run } = fresh({ now: () => Date.UTC(2026, 10, 20) });
    assert.equal((await run("usage", "--format", "json")).stdout.trim(), "[]");
    assert.match((await run("usage", "--format", "csv")).stdout, /^key,requests,items/);
    assert.match((await run("close-day")).stderr, /No day to close/);
    assert.deepEqual(JSON.parse((await run("close-day", "--json")).stdout), { days: [] });
    assert.equal((await run("invoices", "--month", "2026-10", "--format", "json")).stdout.trim(), "[]");
    assert.equal((await run("invoices", "--month", "2026-11")).code, 1);
    assert.equal((await run("usage", "--month", "november")).code, 2);
    const ofNobody = await run("usage", "--key", "key_none");
    assert.equal(ofNobody.code, 1);
    assert.match(ofNobody.stderr, /There is no key key_none/);
  });

  test("rejects the postgres engine without DATABASE_URL and names the variable", async () => {
    const { run } = fresh({ environment: { DIRECTORY_ENGINE: "postgres", DIRECTORY_PRICE_TIERS: "free" } });
    const { code, stderr } = await run("versions");
    assert.equal(code, 2);
    assert.match(stderr, /DIRECTORY_PRICE_TIERS: .*DIRECTORY_ENGINE: postgres requires DATABASE_URL/);
  });
});
