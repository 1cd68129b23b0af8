import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { git, openHandoverScene } from "../support/delivery-fixture.ts";

const REPAIR = { "sum.js": "export const sum = (a, b) => a + b;\n", "département/été.txt": "chaud\n" };

test("a worker clones from the panel, hands over a bundle, and the panel pushes its branch", async () => {
  await using scene = await openHandoverScene();
  await git(scene.bare, "tag", "--annotate", "--message=Release", "v1.0.0", "main");
  await git(scene.bare, "tag", "apart", await git(scene.bare, "commit-tree", "-m", "Apart", "main^{tree}"));
  const { run, runToken } = await scene.heldRun();
  const header = `http.extraHeader=Authorization: Bearer ${runToken}`;
  const relay = `${scene.url}/api/worker/runs/${run.id}/git`;
  const listed = await git(scene.local, "-c", header, "ls-remote", "--symref", relay);
  assert.deepEqual(listed.split("\n"), [
    "ref: refs/heads/main\tHEAD",
    `${scene.baseSha}\tHEAD`,
    `${scene.baseSha}\trefs/heads/main`,
    `${await git(scene.bare, "rev-parse", "v1.0.0")}\trefs/tags/v1.0.0`,
    `${scene.baseSha}\trefs/tags/v1.0.0^{}`,
  ]);
  await git(scene.local, "-c", header, "clone", "--quiet", relay, "../cloned");
  assert.equal(await git(join(scene.local, "..", "cloned"), "describe"), "v1.0.0");
  const made = await scene.bundleOf(run.id, REPAIR);
  for (const time of ["first", "again"]) {
    const kept = await scene.upload(run.id, { runToken, bytes: made.bytes });
    assert.equal(kept.status, 200, `${time}: ${await kept.clone().text()}`);
  }
  const judged = await scene.handover.delivery.judge(scene.owner, await scene.runOf(run.id), { headSha: made.headSha });
  assert.equal(judged.kind, "accepted", JSON.stringify(judged));
  await scene.step(run.id, "passed", judged.kind === "accepted" ? { facts: judged.facts } : {});
  await scene.handover.effects.look();
  assert.deepEqual(scene.troubles, []);
  const pushed = await scene.runOf(run.id);
  assert.equal(
    pushed.state,
    "pushed",
    JSON.stringify(await scene.database.db.selectFrom("effect").selectAll().execute()),
  );
  assert.equal(await git(scene.bare, "rev-parse", `refs/heads/maint/${run.id}`), made.headSha);
  const diff = await scene.ask("GET", `/api/runs/${run.id}/diff`, { token: scene.token });
  assert.match(diff.body, /^\+\+\+ b\/département\/été\.txt$/m);
  assert.match(diff.body, /-export const sum = \(a, b\) => a - b;\n\+export const sum = \(a, b\) => a \+ b;/);
});
