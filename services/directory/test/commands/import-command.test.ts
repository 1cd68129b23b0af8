/** `triptych directory import`, as users see it. */
import assert from "node:assert/strict";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { sampleChange } from "../../src/store/directory-store.ts";
import { createCommandFixture, CSV, slugs, sources, withStore } from "./command-fixture.ts";

const { fresh, musees, path } = createCommandFixture();

describe("import", () => {
  test("publishes and reports; a repeated import publishes nothing", async () => {
    const { run } = fresh();
    const first = await run(...musees(), "--report", path("report.json"));
    assert.equal(first.code, 0, first.stderr);
    const report: unknown = JSON.parse(await readFile(path("report.json"), "utf8"));
    const [published] = /1-[0-9a-f]{12}/.exec(first.stderr) ?? [];
    assert.deepEqual(report, {
      files: [
        {
          path: path("musees.csv"),
          format: "csv",
          encoding: "utf-8",
          separator: ",",
          read: 2,
          accepted: 2,
          repaired: 0,
          replaced: 0,
          rejected: 0,
        },
      ],
      totals: { read: 2, accepted: 2, repaired: 0, replaced: 0, rejected: 0 },
      rules: (report as { rules: unknown }).rules,
      published,
    });
    const second = await run(...musees());
    assert.equal(second.code, 0);
    assert.match(second.stderr, /No changes: version 1-/);
    assert.match(second.stdout, /No version was published/);
  });

  test("a dry run shows the guessed mapping and mapped rows, and publishes nothing", async () => {
    const { run } = fresh();
    const { code, stdout, stderr } = await run("import", path("musees.csv"), "--type", "place", "--dry-run");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /mapping guessed[\s\S]*"title": "titre"/);
    assert.match(stdout, /place\/musee-ingres/);
    assert.match((await run("versions")).stdout, /No version is published yet/);
  });

  test("the first merge over the bare sample removes it; the next merge adds", async () => {
    const { run, data } = fresh();
    await withStore(data, async ({ directory }) => directory.publish(sampleChange(0)));
    assert.equal((await run(...musees())).code, 0);
    assert.deepEqual(await sources(data), ["Test"]);
    const other = await run(
      "import",
      path("musees.csv"),
      "--type",
      "place",
      "--map",
      path("map.json"),
      "--source",
      '{"name":"Other"}',
    );
    assert.equal(other.code, 0, other.stderr);
    assert.deepEqual(await sources(data), ["Other", "Test"]);
    assert.equal((await slugs(data)).length, 4);

    const refused = await run(...musees(), "--mode", "replace");
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /Replace all items.*Pass --yes/);
    assert.deepEqual(await sources(data), ["Other", "Test"]);
    const replaced = await run(...musees(), "--mode", "replace", "--yes");
    assert.equal(replaced.code, 0, replaced.stderr);
    assert.deepEqual(await sources(data), ["Test"]);
    assert.deepEqual(await slugs(data), ["musee-de-l-ain", "musee-ingres"]);
  });

  test("an unwritable report file is a usage error before publication", async () => {
    const { run } = fresh();
    for (const report of [path("nowhere/report.json"), path(".")]) {
      const { code, stderr } = await run(...musees(), "--report", report);
      assert.equal(code, 2, stderr);
      assert.match(stderr, /folder/);
    }
    assert.doesNotMatch((await run("versions")).stdout, /musees\.csv/);
    assert.equal((await run("export", path("nowhere/all.ndjson"))).code, 2);
  });

  test("a report path equal to an input file is a usage error and leaves the file unchanged", async () => {
    const { run } = fresh();
    const file = path("mine.csv");
    await writeFile(file, "id;titre\n1;Musée\n");
    await symlink(file, path("link.csv"));
    for (const report of [file, path("link.csv")]) {
      const { code, stderr } = await run("import", file, "--type", "place", "--report", report);
      assert.equal(code, 2);
      assert.match(stderr, /--report would overwrite the input file .*mine\.csv/);
    }
    assert.equal(await readFile(file, "utf8"), "id;titre\n1;Musée\n");
  });

  test("too many rejected rows exit with 1, write a report and change nothing", async () => {
    const { run } = fresh();
    await writeFile(path("bad.csv"), `${CSV}3,,Nulle part,0,0,\n`);
    const args = ["import", path("bad.csv"), "--type", "place", "--map", path("map.json")];
    const rehearsed = await run(...args, "--max-rejects", "0", "--dry-run");
    assert.equal(rehearsed.code, 1, "a dry run exits with 1 too");
    assert.match(rehearsed.stderr, /1 of 3 rows were rejected/);
    const refused = await run(...args, "--max-rejects", "0", "--report", path("refused.json"));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /1 of 3 rows were rejected/);
    assert.equal((JSON.parse(await readFile(path("refused.json"), "utf8")) as { published: unknown }).published, null);
    assert.match((await run("versions")).stdout, /No version is published yet/);
    assert.equal((await run(...args, "--max-rejects", "50%")).code, 0);
  });

  test("an unreadable file removes the report of an earlier import", async () => {
    const { run } = fresh();
    await run(...musees(), "--report", path("again.json"));
    await writeFile(path("broken.csv"), 'id,titre\n1,"a\n');
    const refused = await run("import", path("broken.csv"), "--type", "place", "--report", path("again.json"));
    assert.equal(refused.code, 1);
    await assert.rejects(readFile(path("again.json")), /ENOENT/);
  });

  test("a published slug stays when the title changes", async () => {
    const { run, data } = fresh();
    await run(...musees());
    await writeFile(path("renamed.csv"), CSV.replace("Musée Ingres", "Musée Ingres Bourdelle"));
    const args = musees().map((arg) => (arg === path("musees.csv") ? path("renamed.csv") : arg));
    assert.equal((await run(...args)).code, 0);
    assert.deepEqual(await slugs(data), ["musee-de-l-ain", "musee-ingres"]);
  });

  test("shows progress as a bar on a terminal and as lines elsewhere", async () => {
    let time = 0;
    const now = () => (time += 6000);
    assert.match((await fresh({ terminal: true, now }).run(...musees())).stderr, /█/);
    const plain = await fresh({ now }).run(...musees());
    assert.match(plain.stderr, /^100% of the file read$/m);
    assert.ok(!plain.stderr.includes("\r"));
  });

  for (const [args, message] of [
    [["import", "nowhere.csv", "--type", "place"], /no such file: nowhere\.csv/],
    [["import", "$musees", "--type", "thing"], /actor, place, article/],
    [["import", "$musees"], /--type/],
    [["import", "$musees", "--type", "place", "--map", "$badmap"], /titel[\s\S]*title/],
    [["import", "$musees", "--type", "place", "--source", "{"], /not valid JSON/],
    [["import", "$musees", "--type", "place", "--source", '{"url":"x"}'], /name/],
    [["import", "$musees", "--type", "place", "--max-rejects", "few"], /5%/],
  ] as const) {
    test(`"${args.join(" ")}" is a usage error with a hint`, async () => {
      await writeFile(path("bad-map.json"), '{"id":"id","titel":"titre"}');
      const placeholders: Readonly<Record<string, string>> = {
        $musees: path("musees.csv"),
        $badmap: path("bad-map.json"),
      };
      const { code, stderr } = await fresh().run(...args.map((arg) => placeholders[arg] ?? arg));
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    });
  }

  test("rejects a mapping with missing columns and lists all its errors", async () => {
    const { run } = fresh();
    await writeFile(path("other-map.json"), '{"id":"numero","title":"nom"}');
    const { code, stderr } = await run(
      "import",
      path("musees.csv"),
      "--type",
      "place",
      "--map",
      path("other-map.json"),
    );
    assert.equal(code, 1);
    assert.match(stderr, /numero[\s\S]*nom[\s\S]*Nothing was changed/);
  });
});
