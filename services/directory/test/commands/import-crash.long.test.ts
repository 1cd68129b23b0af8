/**
 * A killed import, or one on a full disk, changes nothing, and the next one works. Uses real processes and real kills.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { open, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openStore, type OpenStore } from "../../src/store/open-store.ts";
import { runCommand, spawnCommand, type Child } from "../support/run-command.ts";
import { collected } from "../support/stored-item.ts";

/** More than the store takes in one step. */
const ROWS = 2600;
const STEPS = [
  ["when it is about to publish", "Publishing:"],
  ["while it prepares the index", "Preparing:"],
] as const;
const SOURCE = '{"name":"crash"}';
const HEADER = "id,titre,description,latitude,longitude";
const row = (number: number, word: string) =>
  `${number},Lieu ${number},${word} ${"texte ".repeat(20)},46.${number % 1000},5.${number % 1000}`;
const file = (rows: number, word: string) =>
  [HEADER, ...Array.from({ length: rows }, (_, number) => row(number, word)), ""].join("\n");

describe("an import that dies", () => {
  let folder = "";
  let data = "";
  let version = "";
  /** A process that outlives the killed ones, like a running service. */
  let neighbour: OpenStore;
  const importing = (name: string) => ["import", join(folder, name), "--type", "place", "--source", SOURCE];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "triptych-crash-"));
    data = join(folder, "data");
    await writeFile(join(folder, "first.csv"), file(300, "premier"));
    await writeFile(join(folder, "second.csv"), file(ROWS, "second"));
    const { code, stderr } = await runCommand(importing("first.csv"), { data });
    assert.equal(code, 0, stderr);
    neighbour = await openStore(
      { TRIPTYCH_DATA: data, DIRECTORY_ENGINE: "memory" },
      { report: () => {}, now: Date.now },
    );
    version = (await published()).id;
  });
  after(async () => {
    await neighbour.database.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [step, line] of STEPS) {
    test(`${step} changes nothing`, async () => {
      const child = spawnCommand(importing("second.csv"), { data });
      await killAt(child, line);
      const now = await published();
      // The kill may come slightly late: then the complete new version is there.
      assert.ok(
        now.id === version ? now.items.length === 300 : now.items.length === ROWS,
        `${now.id}: ${now.items.length}`,
      );
      assert.ok(now.items.every(({ item }) => item.description?.startsWith(now.id === version ? "premier" : "second")));
      await backToFirst();
    });
  }

  test("in the middle of its file changes nothing and does not affect the next import", async (context) => {
    const pipe = join(folder, "pipe.csv");
    if (spawnSync("mkfifo", [pipe]).status !== 0) return context.skip("this machine has no named pipes");
    const child = spawnCommand([...importing("pipe.csv"), "--format", "csv"], { data });
    const exited = once(child, "exit");
    const writer = await open(pipe, "w");
    // Enough for several steps of the store; the stream never ends.
    await writer.write(file(ROWS, "moitié"));
    while ((await staged()) === 0) await new Promise((resolve) => setImmediate(resolve));
    child.kill("SIGKILL");
    await exited;
    await writer.close();

    const now = await published();
    assert.equal(now.id, version);
    assert.ok(now.items.every(({ item }) => item.description?.startsWith("premier")));
    const again = await runCommand(importing("first.csv"), { data });
    assert.match(again.stderr, /No changes/);
    assert.equal(await staged(), 0);
  });

  test("after it has published leaves the new version complete", async () => {
    const child = spawnCommand(importing("second.csv"), { data });
    await killAt(child, "Published.");
    const now = await published();
    assert.equal(now.items.length, ROWS);
    assert.equal((await runCommand(["verify"], { data })).code, 0);
    await backToFirst();
  });

  test("on a full disk exits with 1 and changes nothing", async () => {
    // A file size limit of 3 MB causes the same failed write as a full disk.
    const child = spawnCommand(importing("second.csv"), { data, shell: "trap '' XFSZ; ulimit -f 6000;" });
    const output: string[] = [];
    child.stderr.on("data", (text: Buffer) => output.push(text.toString()));
    const [code] = await once(child, "exit");
    assert.equal(code, 1, output.join(""));
    assert.match(output.join(""), /The store is full \(.+\)\. Nothing was changed\./);
    assert.equal((await published()).id, version);
  });

  test("is rejected while another import runs, and does not disturb it", async (context) => {
    const pipe = join(folder, "slow.csv");
    if (spawnSync("mkfifo", [pipe]).status !== 0) return context.skip("this machine has no named pipes");
    const child = spawnCommand([...importing("slow.csv"), "--format", "csv"], { data });
    const exited = once(child, "exit");
    const writer = await open(pipe, "w");
    await writer.write(file(ROWS, "lent"));
    while ((await staged()) === 0) await new Promise((resolve) => setImmediate(resolve));

    const refused = await runCommand(importing("second.csv"), { data });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Another import or rollback is running/);
    await writer.close();
    assert.equal((await exited)[0], 0);
    const now = await published();
    assert.ok(now.items.length === ROWS && now.items.every(({ item }) => item.description?.startsWith("lent")));
    await backToFirst();
  });

  async function published() {
    const { versions } = neighbour.directory;
    const publishedVersion = await versions.published();
    assert.ok(publishedVersion !== null);
    return { id: publishedVersion.id, items: await collected(versions.items(publishedVersion.number)) };
  }

  /** Rows of no published version. */
  async function staged(): Promise<number> {
    const { directory, database } = neighbour;
    const publishedVersion = await directory.versions.published();
    const rows = await database.db
      .selectFrom("item")
      .select("slug")
      .where("from_version", ">", publishedVersion?.number ?? 0)
      .limit(1)
      .execute();
    return rows.length;
  }

  async function backToFirst(): Promise<void> {
    if ((await published()).id === version) return;
    const { code, stderr } = await runCommand([...importing("first.csv"), "--mode", "replace", "--yes"], { data });
    assert.equal(code, 0, stderr);
    version = (await published()).id;
  }
});

/** Sends SIGKILL as soon as the line is printed. */
async function killAt(child: Child, line: string): Promise<void> {
  const exited = once(child, "exit");
  let output = "";
  child.stderr.on("data", (text: Buffer) => {
    output += text.toString();
    if (output.includes(line)) child.kill("SIGKILL");
  });
  await exited;
  assert.ok(output.includes(line), output);
}
