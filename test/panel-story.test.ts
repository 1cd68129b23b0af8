/** The panel as a new user meets it: a real process over HTTP, with the git program and a forge on loopback. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startForge, type Forge } from "@triptych/fake-forge";
import { ask, ended, git, keysOf, plant, type Api, type RequestOptions } from "./support/panel-api.ts";
import { openInstallation, type Product } from "./support/product.ts";

const FORGE_TOKEN = "forge-token-of-the-newcomer";
/** Red: it subtracts. */
const FILES = {
  "sum.mjs": "export const sum = (a, b) => a - b;\n",
  "test.mjs": 'import { sum } from "./sum.mjs";\nif (sum(2, 3) !== 5) throw new Error("the sum is wrong");\n',
};
const REPAIR = ["/bin/sh", "-c", "cat notes.txt; sed -i 's/a - b/a + b/' sum.mjs"];

test("shows a new user the pushed demo, fixes added repositories and rotates the key, without leaking a secret", async () => {
  await using installation = await openInstallation();
  const panel = await installation.startPanel({ PANEL_EMBEDDED_WORKER: "1", PANEL_ALLOW_LOCAL_REPOS: "1" });
  const { access_token: token, license_key: firstKey } = await keysOf(installation.folder);
  const api = (path: string, options: RequestOptions = {}) => ask(panel.url + path, { token, ...options });
  await using forge = await startForge({ folder: join(installation.folder, "forge"), token: FORGE_TOKEN });

  // Output that is not a terminal shows the link's file instead of the link.
  const [, linkFile = ""] = /the link is in (\S+)/.exec(panel.errorLog()) ?? [];
  const [, link = ""] = /\/login#(\S+)/.exec(await readFile(linkFile, "utf8")) ?? [];
  assert.ok(!panel.errorLog().includes(link) && !panel.log().includes(link));
  const enter = () => ask(`${panel.url}/api/auth/once`, { method: "POST", body: { token: link } });
  const entered = await enter();
  assert.deepEqual([entered.status, (await enter()).status], [200, 401]);
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  const session = await ask(`${panel.url}/api/auth/session`, { headers: { cookie } });
  assert.deepEqual([session.status, session.body.account.plan.id], [200, "pro"]);

  // The demo: red, then green, with its branch in the repository.
  const runs = (await api("/api/runs")).body.items;
  const [demo, scout] = ["maintain", "explore"].map((kind) => runs.find((run: { kind: string }) => run.kind === kind));
  await ended(api, demo.id);
  await assertPushed(api, demo.id, join(installation.folder, "data", "demo", "slugger.git"));
  const slugger = (await api(`/api/repos/${demo.repo_id}`)).body;
  assert.deepEqual([slugger.status, slugger.default_branch], ["active", "main"]);

  // The demo's scout finds red work, and one click starts a run on it.
  await ended(api, scout.id);
  const candidates = `/api/repos/${demo.repo_id}/candidates`;
  const found = (await api(candidates)).body.items;
  assert.ok(
    found.length >= 4 && found.every((candidate: Found) => candidate.gate_proof.exit_code !== 0),
    JSON.stringify(found),
  );
  const mendable = found.filter((candidate: Found) => candidate.mendable);
  assert.equal(mendable.length, 2);
  const mending = (await api(`/api/candidates/${mendable[0].id}/run`, { method: "POST" })).body;
  await ended(api, mending.id);
  const mended = (await api(`/api/runs/${mending.id}`)).body;
  assert.deepEqual([mended.state, mended.verify.gate.result.exit_code], ["pushed", 0], JSON.stringify(mended));
  const [done] = (await api(`${candidates}?state=done`)).body.items;
  assert.deepEqual([done.id, done.outcome, done.run_id], [mendable[0].id, "delivered", mending.id]);

  // The user's repositories: on a forge over HTTP, and a local folder. Both contain secrets, which their agent prints.
  const hosted = join(installation.folder, "forge", "acme", "sum.git");
  const onDisk = join(installation.folder, "own.git");
  await plant(hosted, { ...FILES, "notes.txt": `${FORGE_TOKEN} ${firstKey}\n` });
  await plant(onDisk, { ...FILES, "notes.txt": `${firstKey}\n` });
  const settings = {
    verify_cmd: "node test.mjs",
    isolation: { level_required: "worktree" },
    team: { preset: "solo", members: [{ role: "coder", cli: "command", command: REPAIR }] },
  };
  const credential = { kind: "token", token: FORGE_TOKEN };
  const atForge = { ...settings, url: `${forge.url}/acme/sum.git`, provider: "github", credential };
  const cases = [
    { repo: atForge, bare: hosted, state: "pr_open" },
    { repo: { ...settings, url: onDisk }, bare: onDisk, state: "pushed" },
  ];
  const begun = cases.map(async ({ repo, bare, state }) => {
    const made = await api("/api/repos", { method: "POST", body: repo });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const run = await api(`/api/repos/${made.body.id}/run`, { method: "POST", body: { focus: "Repair the sum." } });
    assert.equal(run.status, 202, JSON.stringify(run.body));
    return { id: String(run.body.id), bare, state };
  });
  // The strictest isolation available on this machine.
  const [{ isolation: level }] = (await api("/api/worker/status")).body.workers;
  const isSandboxed = level === "sandbox";
  for (const { id, bare, state } of await Promise.all(begun)) {
    const stream = await readEventStream(`${panel.url}/api/runs/${id}/bus`, { token });
    const run = await assertPushed(api, id, bare);
    assert.equal(run.state, state);
    assert.deepEqual(run.isolation, { level, network: isSandboxed ? "model_only" : "open" });
    assert.deepEqual(run.warnings, isSandboxed ? [] : ["network_not_enforced"]);
    const { items, complete } = (await api(`/api/runs/${id}/bus?limit=1000`)).body;
    assert.equal(complete, true);
    assert.deepEqual(
      items.map(({ seq }: { seq: number }) => seq),
      items.map((_: unknown, index: number) => index + 1),
    );
    assert.deepEqual(stream.messages, items.slice(0, stream.messages.length));
    assert.equal(stream.messages.length, run.bus.last_seq);
    assert.match(JSON.stringify(items), /\[redacted:/);
    const again = await fetch(`${panel.url}/api/runs/${id}/bus`, {
      headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream", "Last-Event-ID": stream.lastId },
    });
    assert.equal(again.status, 204);
    const diff = await ask(`${panel.url}/api/runs/${id}/diff`, { token });
    assert.match(diff.text, /^-export const sum = \(a, b\) => a - b;\n\+export const sum = \(a, b\) => a \+ b;$/m);
  }

  const [pull, ...more] = forge.pulls.all;
  assert.deepEqual(
    [pull?.head.ref.startsWith("maint/run_"), pull?.base.ref, pull?.draft, more],
    [true, "main", true, []],
  );

  await using unchecked = await startForge({ folder: join(installation.folder, "unchecked"), token: FORGE_TOKEN });
  await assertCiCandidate(api, unchecked);

  // A new key, sent to the connected worker; the old one can no longer connect.
  const changed = await api("/api/account/license?notify_workers=1", { method: "POST" });
  const { license_key: secondKey, ...summary } = changed.body;
  assert.deepEqual([changed.status, summary], [200, { notified_workers: true, notified_workers_count: 1 }]);
  const connect = (key: string) => ask(`${panel.url}/api/worker/connect`, { token: key });
  assert.deepEqual([(await connect(firstKey)).status, (await connect(secondKey)).status], [401, 400]);
  const [worker] = (await api("/api/worker/status")).body.workers;
  assert.deepEqual(
    [worker.name, worker.embedded, worker.connected, worker.key_current],
    ["embedded", true, true, true],
  );

  assert.equal(await panel.end("SIGTERM"), 0);
  await assertHidden(installation.folder, panel, [firstKey, secondKey, FORGE_TOKEN, cookie.split("=")[1] ?? ""]);
});

interface Found {
  readonly gate_proof: { readonly exit_code: number };
  readonly mendable: boolean;
}

/** Starting the candidate "there is no CI" allows new files in protected paths; existing files stay protected. */
async function assertCiCandidate(api: Api, forge: Forge): Promise<void> {
  const green = { "sum.mjs": "export const sum = (a, b) => a + b;\n", "test.mjs": FILES["test.mjs"] };
  await plant(join(forge.folder, "acme", "sum.git"), { ...green, LICENSE: "MIT\n", "README.md": "# Sum\n" });
  const settings = {
    url: `${forge.url}/acme/sum.git`,
    provider: "github",
    credential: { kind: "token", token: FORGE_TOKEN },
    verify_cmd: "node test.mjs",
    isolation: { level_required: "worktree" },
    pr: { draft: false },
    protected_paths: [".github/**", "README.md"],
  };
  const repo = (await api("/api/repos", { method: "POST", body: settings })).body;
  const scout = await api(`/api/repos/${repo.id}/explore`, { method: "POST", body: { checks: ["missing_file"] } });
  assert.equal(scout.status, 202, scout.text);
  await ended(api, scout.body.id);
  const [candidate, ...others] = (await api(`/api/repos/${repo.id}/candidates`)).body.items;
  assert.deepEqual([candidate?.gate.cmd, others], ["triptych gate has ci", []]);
  const runWith = async (script: string) => {
    const team = { preset: "solo", members: [{ role: "coder", cli: "command", command: ["/bin/sh", "-c", script] }] };
    const run = await api(`/api/candidates/${candidate.id}/run`, { method: "POST", body: { team } });
    assert.equal(run.status, 202, run.text);
    await ended(api, run.body.id);
    return (await api(`/api/runs/${run.body.id}`)).body;
  };
  const added = "mkdir -p .github/workflows && echo 'on: push' > .github/workflows/ci.yml";
  const refused = await runWith(`${added}; echo more >> README.md`);
  assert.deepEqual([refused.state, refused.result.code], ["failed", "protected_path"], JSON.stringify(refused));
  const run = await runWith(added);
  assert.deepEqual([run.state, run.verify.verdict, run.diff.files], ["pr_open", "passed", 1], JSON.stringify(run));
  const [pull] = forge.pulls.all;
  assert.ok(pull?.draft);
  assert.match(pull.body, /\*\*Draft:\*\* this change adds files under protected paths\./);
}

/** Red before, green after, with the branch in the repository at the run's head. */
async function assertPushed(api: Api, id: string, bare: string) {
  const { body: run } = await api(`/api/runs/${id}`);
  assert.deepEqual([run.phase, run.verify?.verdict], ["success", "passed"], JSON.stringify(run));
  assert.equal(run.verify.baseline.exit_code, 1);
  assert.equal(run.verify.attempts.at(-1).exit_code, 0);
  assert.equal(await git(bare, "rev-parse", `refs/heads/maint/${id}`), run.head_sha);
  return run;
}

/** Reads an event stream up to its end event. */
async function readEventStream(url: string, { token }: { readonly token: string }) {
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream" } });
  const events = (await answer.text()).split("\n\n").filter((event) => event.includes("data: "));
  assert.match(events.at(-1) ?? "", /^event: end\n/);
  const dataOf = (event: string) => JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? "null");
  const messages = events.slice(0, -1);
  return { messages: messages.map(dataOf), lastId: /^id: (\d+)$/m.exec(messages.at(-1) ?? "")?.[1] ?? "" };
}

/** Neither in the output nor in any file of the data folder, except the one for keys. */
async function assertHidden(folder: string, panel: Product, secrets: readonly string[]): Promise<void> {
  const data = join(folder, "data");
  const found = await readdir(data, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile() && entry.name !== "credentials.json");
  const texts = await Promise.all(
    files.map(async (entry) => [join(entry.parentPath, entry.name), await textOf(entry)] as const),
  );
  assert.ok(texts.some(([, text]) => text.includes("Repair the sum.")));
  for (const [source, text] of [...texts, ["what was printed", panel.log() + panel.errorLog()] as const]) {
    for (const secret of secrets) {
      assert.ok(!text.includes(secret), source);
      assert.ok(!text.includes(Buffer.from(secret).toString("base64").replace(/=+$/, "")), source);
    }
    assert.doesNotMatch(text, /\brt_[\w-]{20}/, source);
  }
}

async function textOf({ parentPath, name }: { readonly parentPath: string; readonly name: string }): Promise<string> {
  return readFile(join(parentPath, name), "latin1");
}
