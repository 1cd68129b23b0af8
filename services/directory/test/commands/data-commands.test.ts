/** Commands on sources, exports and mappings, as users see them. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { before, describe, test } from "node:test";
import { createCommandFixture } from "./command-fixture.ts";

describe("the directory's data commands", () => {
  const { path, fresh } = createCommandFixture();
  before(async () => {
    await writeFile(path("a.csv"), "id;nom;commune\n1;Musée A;BREST\n2;=Musée B;Saint-Malo\n");
    await writeFile(path("b.csv"), "id;nom;latitude;longitude\n1;Gare B;48.39;-4.48\n");
    await writeFile(path("c.csv"), "lat;lon;cp\n48.1;-1.6;35000\n48.1;-1.6;35000\n");
  });
  const imported = async () => {
    const { run } = fresh();
    for (const file of ["a.csv", "b.csv"]) {
      const { code, stderr } = await run("import", path(file), "--type", "place");
      assert.equal(code, 0, stderr);
    }
    return run;
  };
  const exported = async (run: ReturnType<typeof fresh>["run"], format: string): Promise<string> => {
    const { code, stderr } = await run("export", path(`all.${format}`), "--format", format);
    assert.equal(code, 0, stderr);
    return readFile(path(`all.${format}`), "utf8");
  };

  test("remove takes a source out of the next version, and rollback brings it back", async () => {
    const run = await imported();
    const unconfirmed = await run("remove", "--source", "a.csv");
    assert.equal(unconfirmed.code, 2);
    assert.match(unconfirmed.stderr, /Remove the 2 items of "a\.csv"\? Pass --yes/);
    const removed = await run("remove", "--source", "a.csv", "--yes", "--json");
    assert.equal(removed.code, 0, removed.stderr);
    const { version, ...rest } = JSON.parse(removed.stdout);
    assert.match(version, /^3-/);
    assert.deepEqual(rest, { outcome: "published", source: "a.csv", removed: 2 });
    assert.match(await exported(run, "ndjson"), /^\{[^\n]*"Gare B"[^\n]*\}\n$/);
    assert.equal((await run("verify")).code, 0);
    assert.equal((await run("rollback", "2", "--yes")).code, 0);
    assert.equal(JSON.parse(await exported(run, "json")).length, 3);
  });

  test("remove refuses an unknown source with the known ones, and the only source", async () => {
    const run = await imported();
    const unknown = await run("remove", "--source", "c.csv", "--yes");
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /no published item has the source "c\.csv"; sources: "a\.csv", "b\.csv"/i);
    assert.equal((await run("remove", "--source", "b.csv", "--yes")).code, 0);
    const only = await run("remove", "--source", "a.csv", "--yes");
    assert.equal(only.code, 1);
    assert.match(only.stderr, /only source/);
    assert.equal((await fresh().run("remove", "--source", "a", "--yes")).code, 1);
  });

  test("export writes JSON, CSV and GeoJSON with the fields of the API", async () => {
    const run = await imported();
    const list = JSON.parse(await exported(run, "json"));
    assert.deepEqual(
      list.map((item: Record<string, unknown>) => [item["title"], item["source_name"], item["source_id"]]),
      [
        ["Gare B", "b.csv", "1"],
        ["Musée A", "a.csv", "1"],
        ["=Musée B", "a.csv", "2"],
      ],
    );
    const [header, ...rows] = (await exported(run, "csv")).trimEnd().split("\r\n");
    assert.match(header, /^type,slug,url,title,summary,commune_code,commune_nom,/);
    assert.match(rows[0], /^place,gare-b,\/api\/item\/place\/gare-b,Gare B,/);
    assert.match(rows[2], /^place,musee-b,[^,]+,'=Musée B,Saint-Malo \(Ille-et-Vilaine\),35288,Saint-Malo,/);
    const collection = JSON.parse(await exported(run, "geojson"));
    assert.deepEqual(
      collection.features.map(({ id, geometry }: { id: string; geometry: unknown }) => [id, geometry]),
      [
        ["place/gare-b", { type: "Point", coordinates: [-4.48, 48.39] }],
        ["place/musee-a", null],
        ["place/musee-b", null],
      ],
    );
    assert.equal((await run("export", path("x"), "--format", "xml")).code, 2);
  });

  test("import writes the guessed mapping, which imports the same; for a refused file, what it recognized", async () => {
    const { run } = fresh();
    const dry = await run("import", path("a.csv"), "--type", "place", "--dry-run", "--write-mapping", path("m.json"));
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stderr, /Wrote .*m\.json/);
    assert.equal(JSON.parse(await readFile(path("m.json"), "utf8")).title, "nom");
    assert.equal((await run("import", path("a.csv"), "--type", "place", "--map", path("m.json"))).code, 0);
    const refused = await run("import", path("c.csv"), "--type", "place", "--write-mapping", path("c.json"));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /recognized so far[\s\S]*"lat": "lat"[\s\S]*no column for title/);
    const { address, location } = JSON.parse(await readFile(path("c.json"), "utf8"));
    assert.deepEqual([address, location], [{ code_postal: "cp" }, { lat: "lat", lon: "lon" }]);
    for (const bad of [
      [path("a.csv"), path("b.csv"), "--write-mapping", path("x.json")],
      [path("a.csv"), "--map", path("m.json"), "--write-mapping", path("x.json")],
      [path("a.csv"), "--write-mapping", path("a.csv")],
      [path("a.csv"), "--path", "a..b"],
    ])
      assert.equal((await run("import", "--type", "place", ...bad)).code, 2);
  });

  test("import reports a feature by its number, and a row without an ID by its title", async () => {
    const features = [
      { type: "Feature", properties: { id: "1", nom: "Un" }, geometry: null },
      { type: "Feature", properties: { nom: "Deux" }, geometry: null },
    ];
    await writeFile(path("f.geojson"), JSON.stringify({ type: "FeatureCollection", features }));
    await writeFile(path("f.json"), JSON.stringify({ id: "id", title: "nom" }));
    const { stdout, code } = await fresh().run(
      "import",
      path("f.geojson"),
      "--type",
      "place",
      "--map",
      path("f.json"),
      "--dry-run",
    );
    assert.equal(code, 1, "half of the rows are rejected");
    assert.match(stdout, /feature 2: rejected \(id_missing\)/);
    assert.match(stdout, /feature 2, id: "Deux"/);
  });

  test("synonyms list prints a list that can be imported unchanged", async () => {
    const { run } = fresh();
    await writeFile(path("terms.csv"), '"#metoo",metoo\nquai #3,"quai 3, quai trois"\n');
    assert.equal((await run("synonyms", "import", path("terms.csv"))).code, 0);
    const { stdout } = await run("synonyms", "list");
    await writeFile(path("again.csv"), stdout);
    const again = await run("synonyms", "import", path("again.csv"));
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual(JSON.parse((await run("synonyms", "list", "--json")).stdout).groups, [
      ["#metoo", "metoo"],
      ["quai #3", "quai 3, quai trois"],
    ]);
  });
});
