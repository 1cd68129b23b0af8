/** The mapping file: valid forms, and all errors reported together. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parseMapping, readMapping, readSource } from "../../src/domain/import/mapping.ts";
import { renderIssues } from "../../src/commands/render-report.ts";
import { unknownColumns } from "../../src/domain/import/mapping-columns.ts";
import { importAll, mappingOf } from "./support.ts";

const issuesOf = (value: unknown): readonly { path: string; message: string }[] => {
  const read = readMapping(value);
  return "issues" in read ? read.issues : [];
};

describe("a mapping file", () => {
  test("in the form of the contract is accepted", () => {
    const mapping = {
      id: ["code_insee", "kind"],
      title: "nom",
      summary: "resume",
      location: { from: "geo", order: "lat,lon" },
      commune: { from: "code_insee", by: "code", nom: "Commune" },
      departement: { from: "dep", by: "code" },
      region: { from: "reg", by: "name" },
      tags: [{ from: "themes", split: "|" }, "kind"],
      type: { from: "kind", map: { asso: "actor" } },
      const: { licence: "etalab-2.0" },
      extra: ["annee"],
    };
    assert.deepEqual(issuesOf(mapping), []);
    assert.deepEqual(
      issuesOf({ ...mapping, location: { lat: "y", lon: "x" }, commune: { from: "Commune", by: "name" } }),
      [],
    );
  });

  test("reports all errors by JSON pointer, with the nearest known field", () => {
    const issues = issuesOf({
      titel: "nom",
      title: 5,
      "a/b": 1,
      location: { from: "geo", order: "lng,lat" },
      commune: { from: "c" },
      tags: [{ from: "t", splitt: ";" }],
      type: { from: "kind", map: { asso: "person" } },
      source: { name: "" },
    });
    assert.deepEqual(
      issues.map((issue) => issue.path),
      ["/titel", "/a~1b", "/id", "/title", "/type/map/asso", "/location/order", "/commune", "/tags/0", "/source"],
    );
    assert.match(issues[0].message, /did you mean "title"\?/);
    assert.match(issues[5].message, /"order":"lat,lon" \| "lon,lat"/);
    assert.match(renderIssues(issues), /^ {2}\/titel: .*\n {2}\/a~1b: /);
  });

  test("with an unknown fixed département is rejected", () => {
    assert.deepEqual(issuesOf({ id: "a", title: "b", const: { departement: "cotes d armor" } }), []);
    assert.deepEqual(issuesOf({ id: "a", title: "b", const: { departement: "20" } })[0].path, "/const/departement");
  });

  test("that is not JSON or not an object has one error", () => {
    assert.deepEqual(parseMapping('\uFEFF{"id":"a","title":"b"}'), { mapping: { id: "a", title: "b" } });
    const broken = parseMapping("{");
    assert.ok("issues" in broken && broken.issues.length === 1 && broken.issues[0].message.startsWith("is not JSON"));
    assert.deepEqual(issuesOf([]), [{ path: "", message: "a mapping must be a JSON object" }]);
  });

  test("can use columns in templates, joins and alternatives, all checked against the file", () => {
    const mapping = mappingOf({
      id: ["a", "nope"],
      title: { first: ["b", { template: "{c} ({missing}, {@commune})" }, { join: ["a", "gone"] }] },
      address: { rue: "rue" },
      extra: [{ from: "absent" }],
    });
    assert.deepEqual(
      unknownColumns(mapping, ["a", "b", "c", "rues"]).map(({ path }) => path),
      ["/id/1", "/title/first/1/template", "/title/first/2/join/1", "/address/rue", "/extra/0/from"],
    );
  });

  test("has a source with a name, as --source has", () => {
    assert.deepEqual(readSource({ name: "X", url: "https://x.fr" }), { source: { name: "X", url: "https://x.fr" } });
    const read = readSource({ url: "ftp://x.fr", nom: "X", retrieved_at: "hier" });
    assert.ok("issues" in read);
    assert.deepEqual(
      read.issues.map(({ path }) => path),
      ["/nom", "/name", "/url", "/retrieved_at"],
    );
  });
});

test("composes texts from several columns: first non-empty, joined, or by template", async () => {
  const mapping = {
    id: "id",
    title: { first: ["usage", "officiel", { template: "{genre}, {@commune}" }] },
    description: { join: ["a", "b"], with: "\n\n" },
    commune: { from: "insee", by: "code", nom: "ville", names: { "75056": "Paris" } },
    const: { licence: "etalab-2.0", tags: ["Essai"], departement: "Paris" },
    links: [{ from: "rss", title: "Flux" }],
    same_as: [{ from: "x", prefix: "https://x.com/" }],
  };
  const content =
    "id,usage,officiel,genre,ville,insee,a,b,rss,x\n" +
    "1,Usage,Officiel,g,,,A,B,https://e.fr/rss,@moi\n" +
    "2, ,Officiel,g,,,A,,,https://x.com/toi\n" +
    "3,,,Musée,,75056,,B,,\n" +
    "4,,,Musée,,,,,,\n";
  const { accepted, report } = await importAll({ path: "a.csv", content, mapping });
  const items = accepted.map(({ item }) => item.item);
  assert.deepEqual(
    items.map(({ title, description, departement, tags, licence }) => [
      title,
      description,
      departement?.code,
      tags,
      licence,
    ]),
    [
      ["Usage", "A\n\nB", "75", ["essai"], "etalab-2.0"],
      ["Officiel", "A", "75", ["essai"], "etalab-2.0"],
      ["Musée, Paris", "B", "75", ["essai"], "etalab-2.0"],
    ],
  );
  assert.deepEqual(items[0].links, [{ url: "https://e.fr/rss", title: "Flux" }]);
  assert.deepEqual(
    items.map(({ same_as }) => same_as),
    [["https://x.com/moi"], ["https://x.com/toi"], []],
  );
  assert.equal(report.rules["title_missing"].count, 1);
});

test("stores further columns under any name within 8 KiB, and reports dropped ones", async () => {
  const content = `id,nom,__proto__,constructor,long,court\n1,A,b,c,${"é".repeat(5000)},d\n`;
  const mapping = { id: "id", title: "nom", extra: ["__proto__", "constructor", "long", { from: "court", as: "k" }] };
  const { accepted, report } = await importAll({ path: "a.csv", content, mapping });
  assert.equal(JSON.stringify(accepted[0].item.item.extra), '{"__proto__":"b","constructor":"c","k":"d"}');
  assert.deepEqual(
    report.rules["extra_too_large"].examples.map(({ column }) => column),
    ["long"],
  );
});

test("the mapping files of the documentation are valid", () => {
  const folder = new URL("../../../../docs/mappings/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  assert.deepEqual(files.sort(), ["basilic.json", "bnlc.json", "fablabs.json", "museofile.json"]);
  const names = files.map((name) => mappingOf(readFileSync(new URL(name, folder), "utf8")).source?.name);
  assert.equal(
    new Set(names).size,
    files.length,
    "each file is a source of its own, so that its rows can be told apart",
  );
});
