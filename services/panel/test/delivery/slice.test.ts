import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { git, createDeliveryFixture } from "../support/delivery-fixture.ts";

const REPAIR = { "sum.js": "export const sum = (a, b) => a + b;\n", "département/été.txt": "chaud\n" };

test("pushes the branch of a worker that clones from the panel and uploads a bundle", async () => {
  await using fixture = await createDeliveryFixture();
  await git(fixture.bare, "tag", "--annotate", "--message=Release", "v1.0.0", "main");
  await git(fixture.bare, "tag", "apart", await git(fixture.bare, "commit-tree", "-m", "Apart", "main^{tree}"));
  const { run, runToken } = await fixture.leasedRun();
  const header = `http.extraHeader=Authorization: Bearer ${runToken}`;
  const relay = `${fixture.url}/api/worker/runs/${run.id}/git`;
  const listed = await git(fixture.local, "-c", header, "ls-remote", "--symref", relay);
  assert.deepEqual(listed.split("\n"), [
    "ref: refs/heads/main\tHEAD",
    `${fixture.baseSha}\tHEAD`,
    `${fixture.baseSha}\trefs/heads/main`,
    `${await git(fixture.bare, "rev-parse", "v1.0.0")}\trefs/tags/v1.0.0`,
    `${fixture.baseSha}\trefs/tags/v1.0.0^{}`,
  ]);
  await git(fixture.local, "-c", header, "clone", "--quiet", relay, "../cloned");
  assert.equal(await git(join(fixture.local, "..", "cloned"), "describe"), "v1.0.0");
  const made = await fixture.bundleOf(run.id, REPAIR);
  for (const time of ["first", "again"]) {
    const uploaded = await fixture.upload(run.id, { runToken, bytes: made.bytes });
    assert.equal(uploaded.status, 200, `${time}: ${await uploaded.clone().text()}`);
  }
  const judged = await fixture.deliveryServices.delivery.judge(fixture.owner, await fixture.runOf(run.id), {
    headSha: made.headSha,
  });
  assert.equal(judged.kind, "accepted", JSON.stringify(judged));
  await fixture.step(run.id, "passed", judged.kind === "accepted" ? { facts: judged.facts } : {});
  await fixture.deliveryServices.effects.poll();
  assert.deepEqual(fixture.errors, []);
  const pushed = await fixture.runOf(run.id);
  assert.equal(
    pushed.state,
    "pushed",
    JSON.stringify(await fixture.database.db.selectFrom("effect").selectAll().execute()),
  );
  assert.equal(await git(fixture.bare, "rev-parse", `refs/heads/maint/${run.id}`), made.headSha);
  const diff = await fixture.ask("GET", `/api/runs/${run.id}/diff`, { token: fixture.token });
  assert.match(diff.body, /^\+\+\+ b\/département\/été\.txt$/m);
  assert.match(diff.body, /-export const sum = \(a, b\) => a - b;\n\+export const sum = \(a, b\) => a \+ b;/);
});
