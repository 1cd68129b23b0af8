import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { writeSlugger } from "../src/demo/write-slugger.ts";
import { ask, openFixture } from "./support/create-test-panel.ts";

const run = promisify(execFile);
const PATH = [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
/** Removes the test runner's own variable, because the demo's tests are not part of ours. */
const inTree = (cwd: string) => ({ cwd, env: { PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" } });

test("builds the same demo repository everywhere, with failing tests that its codemod fixes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-slugger-"));
  try {
    const [bare, tree] = [join(folder, "demo", "slugger.git"), join(folder, "tree")];
    const other = join(folder, "other", "slugger.git");
    await Promise.all([writeSlugger(bare, PATH), writeSlugger(bare, PATH), writeSlugger(other, PATH)]);
    await writeSlugger(bare, PATH);
    assert.deepEqual(await readdir(dirname(bare)), ["slugger.git"]);
    const heads = await Promise.all([bare, other].map((at) => run("git", ["ls-remote", at], inTree(folder))));
    assert.equal(heads[0]?.stdout, heads[1]?.stdout);
    assert.match(heads[0]?.stdout ?? "", /^([0-9a-f]{40})\tHEAD\n\1\trefs\/heads\/main\n$/);

    await run("git", ["clone", "--quiet", bare, tree], inTree(folder));
    await assert.rejects(run("node", ["--test"], inTree(tree)), { stdout: /SLUGGER001: stripMarks\(\) is deprecated/ });
    await run("node", ["codemods/fold-marks.js"], inTree(tree));
    const changed = await run("git", ["status", "--short"], inTree(tree));
    assert.equal(changed.stdout, " M src/filename.js\n M src/slug.js\n");
    await run("node", ["--test"], inTree(tree));

    const old = await run("git", ["log", "-1", "--format=%aI", "-S", "TODO", "--", "src/slug.js"], inTree(tree));
    assert.match(old.stdout, /^2025-02-03T/);
    const files = await run("git", ["ls-files"], inTree(tree));
    assert.ok(!/LICEN[CS]E|\.github|docs\/letter\.md/.test(files.stdout));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("creates the demo repo and a private one-time sign-in link on the first start only", async () => {
  await using fixture = await openFixture();
  const first = await fixture.start();
  const { access_token: token } = (await fixture.credentials()).pro;
  const { body } = await ask(first.url, "/api/repos", { token });
  const [repo] = body.items;
  assert.equal(body.items.length, 1);
  assert.deepEqual(
    [repo.name, repo.provider, repo.verify_cmd, repo.isolation.level_required],
    ["slugger", "git", "node --test", "worktree"],
  );
  assert.equal(repo.url, `file://${fixture.data.replaceAll(" ", "%20")}/demo/slugger.git`);
  assert.equal((await ask(first.url, "/api/runs", { token })).body.items.length, 0);
  const { free } = await fixture.credentials();
  assert.equal((await ask(first.url, "/api/repos", { token: free.access_token })).body.items.length, 0);

  const file = join(fixture.data, "sign-in-link.txt");
  assert.deepEqual(first.notes, [`Sign in (once, within 15 minutes): the link is in ${file}`]);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const [, page = "", link = ""] = /^(http\S+)#(\S+)\n$/.exec(await readFile(file, "utf8")) ?? [];
  assert.equal((await fetch(page)).status, 200);
  const enter = () => ask(first.url, "/api/auth/once", { method: "POST", body: { token: link } });
  assert.deepEqual([(await enter()).status, (await enter()).status], [200, 401]);
  await ask(first.url, `/api/repos/${repo.id}`, { token, method: "DELETE" });
  await first.stop();
  const second = await fixture.start();
  assert.deepEqual(second.notes, []);
  assert.equal((await ask(second.url, "/api/repos", { token })).body.items.length, 0);
});
