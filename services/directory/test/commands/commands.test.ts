/** The CLI of the directory as users see it. */
import assert from "node:assert/strict";
import { lstat, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { parseKey } from "@triptych/api-keys";
import { KEY_FORMS } from "../../src/store/access.ts";
import { openStore } from "../../src/store/open-store.ts";
import { sampleChange } from "../../src/store/directory-store.ts";
import { runCommand, type RunOptions } from "../support/run-command.ts";
import { collected } from "../support/stored-item.ts";

const CSV = [
  "id,titre,commune,latitude,longitude,themes",
  '1,Musée Ingres,Montauban,44.0176,1.3523,"art, peinture"',
  "2,Musée de l'Ain,Bourg-en-Bresse,46.2052,5.2255,Art",
  "",
].join("\n");
const MAPPING = {
  id: "id",
  title: "titre",
  location: { lat: "latitude", lon: "longitude" },
  commune: { from: "commune", by: "name" },
  tags: { from: "themes", split: "," },
};

describe("the directory's commands", () => {
  let folder = "";
  let runs = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "triptych-commands-"));
    await writeFile(join(folder, "musees.csv"), CSV);
    await writeFile(join(folder, "map.json"), JSON.stringify(MAPPING));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Commands in an empty data folder. */
  function fresh(options: Partial<RunOptions> = {}) {
    const data = join(folder, `data-${runs++}`);
    return { data, run: (...args: string[]) => runCommand(args, { data, ...options }) };
  }
  const path = (name: string) => join(folder, name);
  const musees = () => [
    "import",
    path("musees.csv"),
    "--type",
    "place",
    "--map",
    path("map.json"),
    "--source",
    '{"name":"Test"}',
  ];

  describe("keys", () => {
    test("create prints the key once; no other command prints it", async () => {
      const { run, data } = fresh();
      const created = await run(
        "keys",
        "create",
        "--name",
        "Demo",
        "--plan",
        "pro",
        "--test",
        "--daily-items",
        "10",
        "--expires",
        "2099-01-31",
      );
      const secret = created.stdout.trim();
      assert.equal(created.code, 0, created.stderr);
      assert.ok(parseKey(secret, KEY_FORMS)?.form.test);
      const id = /key_\w+/.exec(created.stderr)?.[0] ?? "";
      const outputs = [created.stderr];
      for (const args of [
        ["list"],
        ["show", id],
        ["set", id, "--name", "Other"],
        ["revoke", id, "--yes"],
        ["show", id],
      ]) {
        const { code, stdout, stderr } = await run("keys", ...args);
        assert.equal(code, 0, stderr);
        outputs.push(stdout, stderr);
      }
      assert.ok(!outputs.join("").includes(secret.slice(9, 30)));
      assert.match(outputs.join(""), /Other[\s\S]*revoked/);
      const file = await readFile(join(data, "directory.db"));
      assert.ok(!file.includes(secret), "nor in the store");
    });

    test("rotate prints a new key and keeps the id", async () => {
      const { run } = fresh();
      const created = await run("keys", "create", "--name", "Demo", "--plan", "discovery");
      const id = /key_\w+/.exec(created.stderr)?.[0] ?? "";
      const rotated = await run("keys", "rotate", id, "--grace", "30m");
      assert.notEqual(rotated.stdout, created.stdout);
      assert.match(rotated.stdout, /^dir_live_/);
      assert.match(rotated.stderr, /valid until/);
      assert.match((await run("keys", "list")).stdout, new RegExp(id));
    });

    test(
      "lists keys as JSON, and revokes a key without a terminal only with --yes",
      { skip: process.stdin.isTTY },
      async () => {
        const { run } = fresh();
        await run("keys", "create", "--name", "Demo", "--plan", "pro");
        const stateOf = async () => JSON.parse((await run("keys", "list", "--json")).stdout)[0];
        const { id } = await stateOf();
        const refused = await run("keys", "revoke", id);
        assert.equal(refused.code, 2);
        assert.match(refused.stderr, /Pass --yes/);
        assert.equal((await stateOf()).state, "valid");
        await run("keys", "revoke", id, "--yes");
        assert.equal((await stateOf()).state, "revoked");
      },
    );

    test("list shows full IDs, expiry and last use next to long names", async () => {
      const { run } = fresh();
      const ids: string[] = [];
      for (const name of ["Office de tourisme de l'agglomération", "Demo"]) {
        const { stderr } = await run("keys", "create", "--name", name, "--plan", "pro", "--expires", "2099-02-28");
        ids.push(/key_\w+/.exec(stderr)?.[0] ?? "");
      }
      await run("keys", "revoke", ids[0], "--yes");
      const { stdout } = await run("keys", "list");
      for (const id of ids) assert.match(stdout, new RegExp(`^${id}  .*2099-03-01 00:00Z  never$`, "m"));
      assert.match(stdout, /created +expires +last used$/m);
    });

    test("a key expires at the end of a day, at a timestamp, or never", async () => {
      const { run } = fresh();
      const created = await run("keys", "create", "--name", "Demo", "--plan", "pro", "--expires", "2099-02-28");
      const id = /key_\w+/.exec(created.stderr)?.[0] ?? "";
      assert.match((await run("keys", "show", id)).stdout, /expires +2099-03-01 00:00Z/);
      assert.match((await run("keys", "set", id, "--expires", "2099-01-31T12:00+02:00")).stdout, /2099-01-31 10:00Z/);
      assert.match((await run("keys", "set", id, "--expires", "never")).stdout, /expires +never/);
      assert.equal((await run("keys", "create", "--name", "Demo", "--plan", "pro", "--expires", "never")).code, 0);
    });

    test("an unknown key is a failure, not a usage error", async () => {
      const { run } = fresh();
      for (const args of [
        ["show", "key_none"],
        ["revoke", "key_none", "--yes"],
      ]) {
        const { code, stderr } = await run("keys", ...args);
        assert.deepEqual([code, stderr], [1, "There is no key key_none; list all keys with keys list.\n"]);
      }
    });

    test("creates and rotates a key as JSON", async () => {
      const { run } = fresh({ now: () => Date.UTC(2026, 10, 20) });
      const created = JSON.parse((await run("keys", "create", "--name", "Demo", "--plan", "pro", "--json")).stdout);
      assert.match(created.secret, /^dir_live_\w+$/);
      assert.equal(created.state, "valid");
      const rotated = JSON.parse((await run("keys", "rotate", created.id, "--grace", "1h", "--json")).stdout);
      assert.equal(rotated.old_secret_valid_until, "2026-11-20T01:00:00.000Z");
      assert.notEqual(rotated.secret, created.secret);
    });

    for (const [args, message] of [
      [["create", "--name", "X", "--plan", "gold"], /discovery, pro/],
      [["create", "--name", "X"], /--plan/],
      [["create", "--name", "X", "--plan", "discovery", "--daily-items", "99999"], /allows at most/],
      [["create", "--name", "X", "--plan", "pro", "--daily-items", "many"], /whole number/],
      [["create", "--name", "X", "--plan", "pro", "--expires", "soon"], /2027-01-31/],
      [["create", "--name", "X", "--plan", "pro", "--expires", "2099-02-30"], /2027-01-31/],
      [["create", "--name", "X", "--plan", "pro", "--expires", "2099-01-31T12:00"], /2027-01-31T12:00:00Z/],
      [["set", "key_none"], /nothing to update/],
      [["rotate", "key_none", "--grace", "long"], /24h/],
      [["destroy"], /unknown command/],
    ] as const) {
      test(`"keys ${args.join(" ")}" is a usage error with a hint`, async () => {
        const { code, stderr } = await fresh().run("keys", ...args);
        assert.equal(code, 2, stderr);
        assert.match(stderr, message);
      });
    }
  });

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
      for (const report of [path("nowhere/report.json"), folder]) {
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
      assert.equal(
        (JSON.parse(await readFile(path("refused.json"), "utf8")) as { published: unknown }).published,
        null,
      );
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
      assert.match(
        stdout,
        /musee-ingres is served with different content[\s\S]*do not match the published content hash/,
      );
    });
  });

  describe("outlines and books", () => {
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
});

async function withStore<T>(
  data: string,
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
): Promise<T> {
  await using store = await openStore(
    { TRIPTYCH_DATA: data, DIRECTORY_ENGINE: "memory" },
    { report: () => {}, now: Date.now },
  );
  return await work(store);
}

async function published(data: string) {
  return withStore(data, async ({ directory }) => {
    const version = await directory.versions.published();
    return collected(directory.versions.items(version?.number ?? 0));
  });
}

async function sources(data: string): Promise<string[]> {
  return [...new Set((await published(data)).map(({ sourceName }) => sourceName))].sort();
}

async function slugs(data: string): Promise<string[]> {
  return (await published(data)).map(({ item }) => item.slug);
}
