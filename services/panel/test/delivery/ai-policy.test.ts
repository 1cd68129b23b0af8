import assert from "node:assert/strict";
import { writeFileSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openContacts } from "../../src/repo-reachability/reachability-checks.ts";
import { createDeliveryFixture, FORGE_TOKEN, git } from "../support/delivery-fixture.ts";

const REPAIR = { "sum.js": "export const sum = (a, b) => a + b;\n" };
const BAN = "# Rules\n\nWe do not accept AI-generated pull requests.\n";

type Fixture = Awaited<ReturnType<typeof createDeliveryFixture>>;

/** The project writes these files to main. */
async function publish({ local, bare }: Fixture, files: Readonly<Record<string, string>>): Promise<void> {
  await git(local, "checkout", "--quiet", "main");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(local, name)), { recursive: true });
    writeFileSync(join(local, name), text);
  }
  await git(local, "add", "--all");
  await git(local, "commit", "--quiet", "--message=Rules");
  await git(local, "push", "--quiet", bare, "main");
}

const policyOf = async ({ ask, token, repo }: Fixture) =>
  (await ask("GET", `/api/repos/${repo.id}`, { token })).json().ai_policy;

async function contact({ panel, deliveryServices, errors }: Fixture): Promise<void> {
  const { store, now } = panel;
  const onError = (error: unknown) => void errors.push(error);
  await using contacts = await openContacts({
    store,
    check: deliveryServices.checkRepo,
    now,
    timers: { after: () => () => {} },
    onError,
  });
  await contacts.poll();
  assert.deepEqual(errors, []);
}

test("reads the policy at the first contact, with the credential redacted, and keeps the revision", async () => {
  await using fixture = await createDeliveryFixture();
  const rule = `We do not accept AI-generated pull requests, says ${FORGE_TOKEN}.`;
  await publish(fixture, { "CONTRIBUTING.md": `# Rules\n\n${rule}\n` });
  await contact(fixture);
  const policy = await policyOf(fixture);
  assert.deepEqual([policy.stance, policy.source], ["forbidden", "CONTRIBUTING.md:3"]);
  assert.equal(policy.quote, "We do not accept AI-generated pull requests, says [redacted:repo_credential].");
  assert.ok(policy.checked_at !== null);
});

test("reads nothing through a symbolic link", async () => {
  await using fixture = await createDeliveryFixture();
  await publish(fixture, { "docs/rules.md": BAN });
  symlinkSync("docs/rules.md", join(fixture.local, "CONTRIBUTING.md"));
  await publish(fixture, {});
  await contact(fixture);
  assert.equal((await policyOf(fixture)).stance, "none");
});

test("drops an override when a stricter sentence appears, and keeps it for the same stance", async () => {
  await using fixture = await createDeliveryFixture();
  const { ask, token, repo, store, owner } = { ...fixture, store: fixture.panel.store };
  const check = async () => {
    await store.change(owner, async ({ contacts }) => {
      const known = await contacts.find(repo.id);
      if (known !== null) await contacts.save({ ...known, nextAt: fixture.panel.now() });
    });
    await contact(fixture);
    return policyOf(fixture);
  };
  await publish(fixture, { "CONTRIBUTING.md": "All AI usage must be disclosed.\n" });
  assert.equal((await check()).stance, "disclose");
  const lifted = await ask("PATCH", `/api/repos/${repo.id}`, { token, body: { ai_policy: { override: "ours" } } });
  assert.equal(lifted.statusCode, 200, lifted.body);
  assert.match((await check()).override, /^allowed by /);
  await publish(fixture, { "CONTRIBUTING.md": BAN });
  const stricter = await check();
  assert.deepEqual([stricter.stance, stricter.override], ["forbidden", null]);
});

test("rejects a bundle if the base commit forbids it, whatever the worker says", async () => {
  await using fixture = await createDeliveryFixture();
  const { run, runToken } = await fixture.leasedRun();
  const made = await fixture.bundleOf(run.id, REPAIR);
  await fixture.upload(run.id, { runToken, bytes: made.bytes });
  const judge = async () =>
    fixture.deliveryServices.delivery.judge(fixture.owner, await fixture.runOf(run.id), { headSha: made.headSha });
  assert.equal((await judge()).kind, "accepted");
  await publish(fixture, { "AGENTS.md": BAN });
  const next = await fixture.leasedRun();
  const second = await fixture.bundleOf(next.run.id, REPAIR);
  await fixture.upload(next.run.id, { runToken: next.runToken, bytes: second.bytes });
  const judged = await fixture.deliveryServices.delivery.judge(fixture.owner, await fixture.runOf(next.run.id), {
    headSha: second.headSha,
  });
  assert.ok(judged.kind === "refused");
  assert.deepEqual(
    [judged.code, judged.message, judged.aiPolicy?.stance],
    ["policy_forbids", "AGENTS.md:3: “We do not accept AI-generated pull requests.”", "forbidden"],
  );
});

for (const dialect of ["github", "gitea"] as const)
  test(`${dialect}: fills the template, discloses, and makes a draft with an assignee`, async () => {
    await using fixture = await createDeliveryFixture({ dialect });
    await publish(fixture, {
      "CONTRIBUTING.md": "All PRs must be submitted by a human.\n",
      ".github/pull_request_template.md": "## What changed\n\n- [x] I read the rules\n",
    });
    await fixture.ask("PATCH", `/api/repos/${fixture.repo.id}`, {
      token: fixture.token,
      body: { pr: { reviewers: ["ada", "bob"] } },
    });
    const run = await fixture.pushedRun(REPAIR);
    const made = await fixture.openPr(run.id, { draft: false });
    assert.equal(made.statusCode, 201, made.body);
    const [pull] = fixture.forge.pulls.all;
    assert.deepEqual([pull?.draft, pull?.assignees], [true, ["ada"]]);
    assert.match(pull?.body ?? "", /^## What changed\n\n.*\n\n- \[ \] I read the rules\n\n---\n/);
    assert.ok(pull?.body.endsWith(`<!-- panel-run: ${run.id} -->`));
  });

test("opens no pull request without a reviewer if a person must review first", async () => {
  await using fixture = await createDeliveryFixture();
  await publish(fixture, { "CONTRIBUTING.md": "All PRs must be submitted by a human.\n" });
  const run = await fixture.pushedRun(REPAIR);
  const refused = await fixture.openPr(run.id);
  assert.deepEqual(
    [refused.statusCode, refused.json().code, refused.json().stance],
    [409, "policy_forbids", "human_only"],
  );
  assert.equal(fixture.forge.pulls.all.length, 0);
});

test("states agent and model in the first line of the pull request if the project asks for it", async () => {
  await using fixture = await createDeliveryFixture();
  await publish(fixture, { "AGENTS.md": "All AI usage must be disclosed.\n" });
  const { run } = await fixture.handOver(REPAIR);
  const agents = [{ role: "coder" as const, cli: "codex", model: "gpt-5" }];
  const { facts } = await fixture.runOf(run.id);
  await fixture.panel.store.change(fixture.owner, async ({ runs }) => {
    const present = await runs.find(run.id);
    if (present !== null) await runs.learn({ ...present, facts: { ...facts, agents } });
  });
  await fixture.deliveryServices.effects.poll();
  assert.equal((await fixture.openPr(run.id)).statusCode, 201);
  const [first] = fixture.forge.pulls.all[0]?.body.split("\n") ?? [];
  assert.equal(first, "This change was made by an automated agent: `codex`, model `gpt-5`.");
});
