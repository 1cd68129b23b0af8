import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { MirrorLimits } from "../../src/git/mirror-limits.ts";
import { createMirrors } from "../../src/git/mirrors.ts";
import { anyAddress, Unreachable } from "../../src/git/addresses.ts";
import { createRemotes } from "../../src/git/remote.ts";
import { tagsOn } from "../../src/git/tags.ts";
import { git } from "../support/delivery-fixture.ts";

test("recovers the mirror of a panel killed during a fetch, while the forge is down", async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "mirrors-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const origin = join(folder, "origin");
  await git(folder, "init", "--quiet", "--initial-branch=main", "origin");
  await git(origin, "commit", "--quiet", "--allow-empty", "--message=First");
  const remotes = createRemotes({
    resolve: anyAddress,
    knownHosts: join(folder, "known_hosts"),
    passing: join(folder, "passing"),
  });
  const repo = {
    owner: "acc_1",
    id: "rep_1",
    url: `file://${origin}`,
    provider: "git",
    credential: { kind: "none" },
  } as const;
  /** As in a newly started process. */
  const shaIn = (maxAgeMs: number) =>
    createMirrors({ folder: join(folder, "mirrors"), remotes, now: Date.now }).use(
      { repo, branch: "main", maxAgeMs },
      async ({ sha }) => sha,
    );
  const first = await git(origin, "rev-parse", "main");
  assert.equal(await shaIn(Infinity), first, "what is not there at all is fetched");

  for (const name of ["HEAD", "packed-refs", "refs/heads/main"])
    await writeFile(join(folder, "mirrors", "acc_1-rep_1.git", `${name}.lock`), "");
  await git(origin, "commit", "--quiet", "--allow-empty", "--message=Second");
  assert.equal(await shaIn(Infinity), first);
  const second = await git(origin, "rev-parse", "main");
  assert.equal(await shaIn(0), second);

  await rm(origin, { recursive: true });
  assert.equal(await shaIn(Infinity), second);
  await assert.rejects(shaIn(0), Unreachable);
});

test("evicts the least recently used mirrors above the total size limit, except those in use", async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "mirrors-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await git(folder, "init", "--quiet", "--initial-branch=main", "origin");
  await git(join(folder, "origin"), "commit", "--quiet", "--allow-empty", "--message=First");
  const remotes = createRemotes({
    resolve: anyAddress,
    knownHosts: join(folder, "known_hosts"),
    passing: join(folder, "passing"),
  });
  const path = join(folder, "mirrors");
  let now = 1_000_000;
  const mirrors = createMirrors({ folder: path, remotes, now: () => now });
  const about = { owner: "acc", url: `file://${join(folder, "origin")}`, provider: "git" } as const;
  const use = (id: string, work: () => Promise<void> = () => Promise.resolve()) => {
    now += 1_000;
    return mirrors.use({ repo: { ...about, id, credential: { kind: "none" } }, branch: "main", maxAgeMs: 0 }, work);
  };
  for (const id of ["one", "two", "three"]) await use(id);
  await use("one", async () => {
    await mirrors.prune({ usedBefore: 0, bytes: Infinity });
    assert.equal((await readdir(path)).length, 3);
    await mirrors.prune({ usedBefore: 0, bytes: 0 });
  });
  assert.deepEqual(await readdir(path), ["acc-one.git"]);
  for (const id of ["two", "three"]) await use(id);
  const [{ size }, all] = [await stat(join(path, "acc-one.git", "HEAD")), await readdir(path)];
  assert.equal(all.length, 3);
  const most = (await bytesIn(path)) - size;
  await mirrors.prune({ usedBefore: 0, bytes: most });
  assert.deepEqual((await readdir(path)).toSorted(), ["acc-three.git", "acc-two.git"]);
});

async function openLimited(limits: MirrorLimits, files: Readonly<Record<string, number>>) {
  const folder = await mkdtemp(join(tmpdir(), "mirrors-"));
  await git(folder, "init", "--quiet", "--initial-branch=main", "origin");
  const origin = join(folder, "origin");
  const add = async (name: string, bytes: number) => {
    await writeFile(join(origin, name), randomBytes(bytes));
    await git(origin, "add", "--all");
    await git(origin, "commit", "--quiet", "--message=Add");
  };
  for (const [name, bytes] of Object.entries(files)) await add(name, bytes);
  const remotes = createRemotes({
    resolve: anyAddress,
    knownHosts: join(folder, "known_hosts"),
    passing: join(folder, "passing"),
  });
  const path = join(folder, "mirrors");
  let now = 1_000_000;
  const mirrors = createMirrors({ folder: path, remotes, now: () => now, limits });
  const about = { owner: "acc", id: "one", url: `file://${origin}`, provider: "git" } as const;
  const request = { repo: { ...about, credential: { kind: "none" } }, branch: "main", maxAgeMs: 0 } as const;
  return {
    path,
    mirrors,
    add,
    origin,
    use: () => mirrors.use(request, async ({ sha }) => sha),
    pass: (ms: number) => void (now += ms),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const MB = 1024 ** 2;
const TOO_LARGE = { name: "Unreachable", message: "the repository exceeds the panel's size limit of 2 MB" };

test("marks a repository above the limit as unreachable, deletes its files, and does not refetch it immediately", async () => {
  await using limited = await openLimited({ bytesMax: 2 * MB, reserveBytes: 0 }, { large: 8 * MB });
  await assert.rejects(limited.use(), TOO_LARGE);
  assert.deepEqual(await readdir(limited.path), []);
  await git(limited.origin, "update-ref", "-d", "refs/heads/main");
  limited.pass(3_600_000);
  await assert.rejects(limited.use(), TOO_LARGE);
  assert.deepEqual(await readdir(limited.path), [], "it was not even asked for");
});

test("refetches a repository after six hours, once it is below the limit", async () => {
  await using limited = await openLimited({ bytesMax: 2 * MB, reserveBytes: 0 }, { small: 10, large: 8 * MB });
  await assert.rejects(limited.use(), TOO_LARGE);
  await git(limited.origin, "reset", "--quiet", "--hard", "HEAD~1");
  limited.pass(6 * 3_600_000 + 1);
  assert.equal(await limited.use(), await git(limited.origin, "rev-parse", "main"));
});

test("stops fetching below the reserved disk space, and keeps existing mirrors", async () => {
  const limits = { bytesMax: Infinity, reserveBytes: 0 };
  await using limited = await openLimited(limits, { small: 10 });
  const first = await limited.use();
  await limited.add("other", 10);
  limits.reserveBytes = Number.MAX_SAFE_INTEGER;
  limited.pass(1);
  await assert.rejects(limited.use(), {
    name: "Unreachable",
    message: /the panel's disk has less than [\d.]+ MB of free space/,
  });
  assert.equal((await git(join(limited.path, "acc-one.git"), "rev-parse", "main")).trim(), first);
});

async function bytesIn(folder: string): Promise<number> {
  const stats = await Promise.all((await readdir(folder, { recursive: true })).map((name) => stat(join(folder, name))));
  return stats.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);
}

test("mirrors the tags of the branch, follows moved ones, and skips those of other branches", async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "mirrors-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const origin = join(folder, "origin");
  await git(folder, "init", "--quiet", "--initial-branch=main", "origin");
  for (const message of ["First", "Second"]) {
    await git(origin, "commit", "--quiet", "--allow-empty", `--message=${message}`);
    await git(origin, "tag", "--annotate", "--message=Release", message.toLowerCase());
  }
  await git(origin, "tag", "moved", "main~1");
  await git(origin, "checkout", "--quiet", "-b", "other");
  await git(origin, "commit", "--quiet", "--allow-empty", "--message=Other");
  await git(origin, "tag", "of-other");
  const remotes = createRemotes({
    resolve: anyAddress,
    knownHosts: join(folder, "known_hosts"),
    passing: join(folder, "passing"),
  });
  const mirrors = createMirrors({ folder: join(folder, "mirrors"), remotes, now: Date.now });
  const about = { owner: "acc_1", id: "rep_1", url: `file://${origin}`, provider: "git" } as const;
  const repo = { ...about, credential: { kind: "none" } } as const;
  const read = (branch: string, ...words: readonly string[]) =>
    mirrors.use({ repo, branch, maxAgeMs: 0 }, async (mirror) => {
      return {
        printed: (await mirror.git.run(words)).toString().trim().split("\n"),
        tags: await tagsOn(mirror.git, branch),
      };
    });
  assert.deepEqual((await read("main", "tag", "--list")).printed, ["first", "moved", "second"]);
  assert.deepEqual((await read("main", "describe", "main")).printed, ["second"]);

  await git(origin, "tag", "--force", "moved", "main");
  const main = await git(origin, "rev-parse", "main");
  assert.deepEqual((await read("main", "rev-parse", "moved")).printed, [main]);
  assert.deepEqual((await read("other", "describe", "--tags", "other")).printed, ["of-other"]);
  const { tags } = await read("main", "tag", "--list");
  assert.deepEqual(tags.toSorted(), ["refs/tags/first", "refs/tags/moved", "refs/tags/second"]);
});
