/** The store of installed dependencies: complete entries only, unchanged ones only, within its bound. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openDependencyCache, type DependencyCacheOptions } from "../../src/dependencies/dependency-cache.ts";
import { sealOf } from "../../src/dependencies/entry-seal.ts";
import { openEntryStore } from "../../src/dependencies/entry-store.ts";
import { createReadyCopies } from "../../src/dependencies/ready-copies.ts";
import { child } from "../support/agent-task.ts";

const PATHS = Buffer.from("node_modules\0");

function createFixture() {
  const folder = mkdtempSync(join(tmpdir(), "dependencies-"));
  const cacheFolder = join(folder, "cache");
  const opened = new AsyncDisposableStack();
  let count = 0;
  return {
    folder,
    cacheFolder,
    async open(options: Partial<DependencyCacheOptions> = {}) {
      const defaults = { folder: cacheFolder, bytesMax: 1e9, isProtected: true, now: () => 0 };
      return opened.use(await openDependencyCache({ ...defaults, ...options }));
    },
    /** A run's folders, with dependencies of this text. */
    run(text?: string) {
      const path = join(folder, `run-${count++}`);
      const [tree, home] = [join(path, "tree"), join(path, "home")];
      for (const name of [tree, home]) mkdirSync(name, { recursive: true });
      if (text !== undefined) {
        mkdirSync(join(tree, "node_modules"));
        writeFileSync(join(tree, "node_modules", "a.js"), text);
        writeFileSync(join(home, "fetched"), text);
      }
      return { tree, home, seen: { tree, home }, signal: new AbortController().signal };
    },
    async [Symbol.asyncDispose]() {
      await opened.disposeAsync();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const entriesIn = (folder: string) => readdirSync(folder).toSorted();
const installed = (tree: string) => readFileSync(join(tree, "node_modules", "a.js"), "utf8");

test("restores tree and home, and an entry survives a restart of a worker with a sandbox", async () => {
  await using fixture = createFixture();
  const first = await fixture.open();
  assert.equal(await first.keep("a", { paths: PATHS, folders: fixture.run("one") }), null);
  const cache = await fixture.open();
  const run = fixture.run();
  assert.equal(await cache.restore("a", { ...run, hasHome: false }), true);
  assert.deepEqual([installed(run.tree), readFileSync(join(run.home, "fetched"), "utf8")], ["one", "one"]);
  assert.equal(await cache.restore("b", { ...fixture.run(), hasHome: false }), false);
});

test("does not use entries of an earlier process if agents can write every file", async () => {
  await using fixture = createFixture();
  const first = await fixture.open({ isProtected: false });
  await first.keep("a", { paths: PATHS, folders: fixture.run("one") });
  assert.equal(await first.restore("a", { ...fixture.run(), hasHome: false }), true);
  const second = await fixture.open({ isProtected: false });
  assert.equal(await second.restore("a", { ...fixture.run(), hasHome: false }), false);
});

test("drops an entry that somebody changed", async () => {
  await using fixture = createFixture();
  const cache = await fixture.open();
  await cache.keep("a", { paths: PATHS, folders: fixture.run("one") });
  await cache.settled();
  // The same size, so that only the time of the change tells.
  writeFileSync(join(fixture.cacheFolder, "a", "tree", "node_modules", "a.js"), "two");
  assert.equal(await cache.restore("a", { ...fixture.run(), hasHome: false }), false);
  assert.deepEqual(entriesIn(fixture.cacheFolder), []);
});

test("drops an entry after seven days", async () => {
  await using fixture = createFixture();
  let now = 0;
  const cache = await fixture.open({ now: () => now });
  await cache.keep("a", { paths: PATHS, folders: fixture.run("one") });
  now = 7 * 86_400_000;
  assert.equal(await cache.restore("a", { ...fixture.run(), hasHome: false }), true);
  now += 1;
  assert.equal(await cache.restore("a", { ...fixture.run(), hasHome: false }), false);
});

test("removes the least recently used entry when the bound is reached", async () => {
  await using fixture = createFixture();
  let now = 0;
  const folders = fixture.run("x".repeat(100_000));
  const cache = await fixture.open({ bytesMax: 1_000_000, now: () => (now += 1_000) });
  for (const key of ["a", "b"]) assert.equal(await cache.keep(key, { paths: PATHS, folders }), null);
  // An entry is in use, and stays, while its spare copy is made.
  await cache.settled();
  assert.equal(await cache.restore("a", { ...fixture.run(), hasHome: false }), true);
  await cache.settled();
  assert.equal(await cache.keep("c", { paths: PATHS, folders }), null);
  await cache.settled();
  assert.deepEqual(entriesIn(fixture.cacheFolder), ["a", "c"]);
  const small = await fixture.open({ bytesMax: 1_000 });
  assert.match((await small.keep("d", { paths: PATHS, folders })) ?? "", /^they use 1 MB; the cache has 1 MB$/);
  assert.deepEqual(entriesIn(fixture.cacheFolder), ["a", "c"]);
});

test("leaves nothing incomplete after kill -9 during the copy", async () => {
  await using fixture = createFixture();
  const { tree, home } = fixture.run("one");
  const [program = "", ...args] = child("keep-dependencies", fixture.cacheFolder, tree, home);
  const killed = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(killed.stdout, "data");
  killed.kill("SIGKILL");
  await once(killed, "close");
  assert.match(entriesIn(fixture.cacheFolder).join(), /^part-/);
  const cache = await fixture.open();
  assert.deepEqual(entriesIn(fixture.cacheFolder), []);
  assert.equal(await cache.restore("a", { ...fixture.run(), hasHome: false }), false);
});

test("keeps one entry when several runs end at once, and restores it to several at once", async () => {
  await using fixture = createFixture();
  const cache = await fixture.open();
  const runs = Array.from({ length: 5 }, () => fixture.run("one"));
  const kept = await Promise.all(runs.map((folders) => cache.keep("a", { paths: PATHS, folders })));
  assert.deepEqual(kept, [null, null, null, null, null]);
  await cache.settled();
  assert.deepEqual(entriesIn(fixture.cacheFolder), ["a"]);
  const targets = Array.from({ length: 5 }, () => fixture.run());
  const restored = await Promise.all(targets.map((target) => cache.restore("a", { ...target, hasHome: false })));
  assert.deepEqual(restored, [true, true, true, true, true]);
  for (const { tree } of targets) assert.equal(installed(tree), "one");
});

test("never writes through a link of the commit, or over its files", async () => {
  await using fixture = createFixture();
  const cache = await fixture.open();
  const from = fixture.run();
  mkdirSync(join(from.tree, "packages", "a", "node_modules"), { recursive: true });
  writeFileSync(join(from.tree, "packages", "a", "node_modules", "a.js"), "one");
  await cache.keep("a", { paths: Buffer.from("packages/a/node_modules\0"), folders: from });
  const outside = fixture.run();
  const linked = fixture.run();
  mkdirSync(join(linked.tree, "packages"));
  symlinkSync(outside.tree, join(linked.tree, "packages", "a"));
  assert.equal(await cache.restore("a", { ...linked, hasHome: false }), false);
  assert.deepEqual(readdirSync(outside.tree), []);
  const tracked = fixture.run();
  mkdirSync(join(tracked.tree, "packages", "a", "node_modules"), { recursive: true });
  assert.equal(await cache.restore("a", { ...tracked, hasHome: false }), false);
});

test("rewrites the paths of the run in text files and links, and refuses binaries with a path", async () => {
  await using fixture = createFixture();
  const cache = await fixture.open();
  const from = fixture.run("one");
  const bin = join(from.tree, "node_modules", "tool");
  writeFileSync(bin, `#!${from.tree}/node_modules/python\n# ${from.home}/store \u00e9\n`, { mode: 0o555 });
  symlinkSync(join(from.tree, "node_modules", "a.js"), join(from.tree, "node_modules", "link"));
  writeFileSync(join(from.tree, "node_modules", "tool.pyc"), `\0${from.tree}`);
  assert.equal(await cache.keep("a", { paths: PATHS, folders: from }), null);
  const to = fixture.run();
  assert.equal(await cache.restore("a", { ...to, hasHome: false }), true);
  const text = readFileSync(join(to.tree, "node_modules", "tool"), "utf8");
  assert.equal(text, `#!${to.tree}/node_modules/python\n# ${to.home}/store \u00e9\n`);
  assert.equal(readlinkSync(join(to.tree, "node_modules", "link")), join(to.tree, "node_modules", "a.js"));
  assert.equal(existsSync(join(to.tree, "node_modules", "tool.pyc")), false);
  writeFileSync(join(from.tree, "node_modules", "native.node"), `\0${from.tree}`);
  assert.match((await cache.keep("b", { paths: PATHS, folders: from })) ?? "", /native\.node" is a binary file/);
  await cache.settled();
  assert.deepEqual(entriesIn(fixture.cacheFolder), ["a"]);
});

test("leaves the tree as it was when the copy fails", async () => {
  await using fixture = createFixture();
  const cache = await fixture.open();
  await cache.keep("a", { paths: PATHS, folders: fixture.run("one") });
  const target = fixture.run();
  // The copy of the home fails after that of the tree.
  mkdirSync(join(target.home, "fetched"));
  assert.equal(await cache.restore("a", { ...target, hasHome: false }), false);
  assert.deepEqual([readdirSync(target.tree), readdirSync(target.home)], [[], []]);
});

const inodeOf = (path: string) => statSync(join(path, "node_modules", "a.js")).ino;
const spareIn = (folder: string) => join(folder, "a", "ready-tree", "files");

test("moves a spare copy into the run and makes the next one, also after a restart", async () => {
  await using fixture = createFixture();
  const first = await fixture.open();
  await first.keep("a", { paths: PATHS, folders: fixture.run("one") });
  await first.settled();
  for (const cache of [first, await fixture.open()]) {
    const spare = inodeOf(spareIn(fixture.cacheFolder));
    const run = fixture.run();
    assert.equal(await cache.restore("a", { ...run, hasHome: false }), true);
    assert.equal(inodeOf(run.tree), spare);
    writeFileSync(join(run.tree, "node_modules", "a.js"), "two");
    writeFileSync(join(run.home, "fetched"), "two");
    await cache.settled();
  }
  const last = fixture.run();
  assert.equal(await first.restore("a", { ...last, hasHome: false }), true);
  assert.deepEqual([installed(last.tree), readFileSync(join(last.home, "fetched"), "utf8")], ["one", "one"]);
});

test("copies the entry instead of a spare copy that somebody changed, with or without its seal", async () => {
  await using fixture = createFixture();
  for (const isProtected of [true, false]) {
    const cache = await fixture.open({ isProtected });
    await cache.keep("a", { paths: PATHS, folders: fixture.run("one") });
    await cache.settled();
    writeFileSync(join(spareIn(fixture.cacheFolder), "node_modules", "a.js"), "two");
    // Where agents can write every file, only the memory of this process counts.
    if (!isProtected) {
      const { digest } = await sealOf([spareIn(fixture.cacheFolder)]);
      writeFileSync(join(fixture.cacheFolder, "a", "ready-tree", "seal"), digest);
    }
    const run = fixture.run();
    assert.equal(await cache.restore("a", { ...run, hasHome: false }), true);
    assert.equal(installed(run.tree), "one");
    await cache.settled();
    rmSync(join(fixture.cacheFolder, "a"), { recursive: true });
  }
});

test("makes no spare copy of an entry that changed during the copy", async () => {
  await using fixture = createFixture();
  const cache = await fixture.open();
  await cache.keep("a", { paths: PATHS, folders: fixture.run("one") });
  await cache.settled();
  rmSync(join(fixture.cacheFolder, "a", "ready-tree"), { recursive: true });
  const store = await openEntryStore(fixture.cacheFolder, 1e9, () => 0);
  await using ready = createReadyCopies({ store, isProtected: true, isUsable: async () => false });
  ready.prepare("a");
  await ready.settled();
  assert.equal(existsSync(spareIn(fixture.cacheFolder)), false);
  assert.deepEqual(entriesIn(fixture.cacheFolder), ["a"]);
});

const memory = "/dev/shm";
const isElsewhere = existsSync(memory) && statSync(memory).dev !== statSync(tmpdir()).dev;
test("copies to a run on another file system", { skip: !isElsewhere }, async () => {
  await using fixture = createFixture();
  const cache = await fixture.open();
  await cache.keep("a", { paths: PATHS, folders: fixture.run("one") });
  const path = mkdtempSync(join(memory, "dependencies-"));
  const [tree, home] = [join(path, "tree"), join(path, "home")];
  for (const folder of [tree, home]) mkdirSync(folder);
  const target = { tree, home, seen: { tree, home }, signal: new AbortController().signal, hasHome: false };
  try {
    assert.equal(await cache.restore("a", target), true);
    assert.deepEqual([installed(tree), readFileSync(join(home, "fetched"), "utf8")], ["one", "one"]);
  } finally {
    rmSync(path, { recursive: true });
  }
});
