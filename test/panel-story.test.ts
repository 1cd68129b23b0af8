/** The first steps of a new user: a real panel process over HTTP, with real git and a fake forge on loopback. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startForge, type Forge } from "@triptych/fake-forge";
import {
  ask,
  createBareRepository,
  git,
  keysOf,
  waitForEnd,
  type Api,
  type RequestOptions,
} from "./support/panel-api.ts";
import { openInstallation, type Product } from "./support/product.ts";

const FORGE_TOKEN = "forge-token-of-the-newcomer";
/** The test fails, because `sum` subtracts. */
const FILES = {
  "sum.mjs": "export const sum = (a, b) => a - b;\n",
  "test.mjs": 'import { sum } from "./sum.mjs";\nif (sum(2, 3) !== 5) throw new Error("the sum is wrong");\n',
};
const FIX_COMMAND = ["/bin/sh", "-c", "cat notes.txt; sed -i 's/a - b/a + b/' sum.mjs"];

/** 15 s alone; the other groups of `npm test` multiply that. */
const TIMEOUT_MS = 300_000;

test(
  "pushes the demo, fixes the user's repositories and rotates the license key without leaking a secret",
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    await using installation = await openInstallation();
    const panel = await installation.startPanel({ PANEL_EMBEDDED_WORKER: "1", PANEL_ALLOW_LOCAL_REPOS: "1" });
    const { access_token: token, license_key: firstKey } = await keysOf(installation.folder);
    const api = (path: string, options: RequestOptions = {}) => ask(panel.url + path, { token, ...options });
    await using forge = await startForge({ folder: join(installation.folder, "forge"), token: FORGE_TOKEN });

    // Outside a terminal, the panel prints the path of a file that contains the sign-in link.
    const [, linkFile = ""] = /the link is in (\S+)/.exec(panel.errorLog()) ?? [];
    const [, link = ""] = /\/login#(\S+)/.exec(await readFile(linkFile, "utf8")) ?? [];
    assert.ok(!panel.errorLog().includes(link) && !panel.log().includes(link));
    const signIn = () => ask(`${panel.url}/api/auth/once`, { method: "POST", body: { token: link } });
    const signedIn = await signIn();
    assert.deepEqual([signedIn.status, (await signIn()).status], [200, 401]);
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    const session = await ask(`${panel.url}/api/auth/session`, { headers: { cookie } });
    assert.deepEqual([session.status, session.body.account.plan.id], [200, "pro"]);

    // The demo run fixes a failing test and pushes its branch.
    const runs = (await api("/api/runs")).body.items;
    const [demo, scout] = ["maintain", "explore"].map((kind) =>
      runs.find((run: { kind: string }) => run.kind === kind),
    );
    await waitForEnd(api, demo.id);
    await assertPushed(api, demo.id, join(installation.folder, "data", "demo", "slugger.git"));
    const slugger = (await api(`/api/repos/${demo.repo_id}`)).body;
    assert.deepEqual([slugger.status, slugger.default_branch], ["active", "main"]);

    // The demo's explore run finds candidates whose gates fail, and one request starts a run for the first.
    await waitForEnd(api, scout.id);
    const candidates = `/api/repos/${demo.repo_id}/candidates`;
    const found = (await api(candidates)).body.items;
    assert.ok(
      found.length >= 4 && found.every((candidate: FoundCandidate) => candidate.gate_proof.exit_code !== 0),
      JSON.stringify(found),
    );
    const fixable = found.filter((candidate: FoundCandidate) => candidate.mendable);
    assert.equal(fixable.length, 2);
    const fixRun = (await api(`/api/candidates/${fixable[0].id}/run`, { method: "POST" })).body;
    await waitForEnd(api, fixRun.id);
    const fixed = (await api(`/api/runs/${fixRun.id}`)).body;
    const { result, exit_code: of01 } = fixed.verify.gate;
    assert.deepEqual([fixed.state, result.exit_code, of01], ["pushed", 0, 0], JSON.stringify(fixed));
    const [done] = (await api(`${candidates}?state=done`)).body.items;
    assert.deepEqual([done.id, done.outcome, done.run_id], [fixable[0].id, "delivered", fixRun.id]);

    // The user adds a repository on the forge and a local one. The agent prints the secrets that both contain.
    const forgeRepository = join(installation.folder, "forge", "acme", "sum.git");
    const localRepository = join(installation.folder, "own.git");
    await createBareRepository(forgeRepository, { ...FILES, "notes.txt": `${FORGE_TOKEN} ${firstKey}\n` });
    await createBareRepository(localRepository, { ...FILES, "notes.txt": `${firstKey}\n` });
    const settings = {
      verify_cmd: "node test.mjs",
      isolation: { level_required: "worktree" },
      team: { preset: "solo", members: [{ role: "coder", cli: "command", command: FIX_COMMAND }] },
    };
    const credential = { kind: "token", token: FORGE_TOKEN };
    const onForge = { ...settings, url: `${forge.url}/acme/sum.git`, provider: "github", credential };
    const cases = [
      { repo: onForge, bare: forgeRepository, state: "pr_open" },
      { repo: { ...settings, url: localRepository }, bare: localRepository, state: "pushed" },
    ];
    const started = cases.map(async ({ repo, bare, state }) => {
      const created = await api("/api/repos", { method: "POST", body: repo });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      const run = await api(`/api/repos/${created.body.id}/run`, {
        method: "POST",
        body: { focus: "Repair the sum." },
      });
      assert.equal(run.status, 202, JSON.stringify(run.body));
      return { id: String(run.body.id), bare, state };
    });
    // Runs use the strictest isolation that this machine supports.
    const [{ isolation: level }] = (await api("/api/worker/status")).body.workers;
    const isSandboxed = level === "sandbox";
    for (const { id, bare, state } of await Promise.all(started)) {
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
      const resumed = await fetch(`${panel.url}/api/runs/${id}/bus`, {
        headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream", "Last-Event-ID": stream.lastId },
      });
      assert.equal(resumed.status, 204);
      const diff = await ask(`${panel.url}/api/runs/${id}/diff`, { token });
      assert.match(diff.text, /^-export const sum = \(a, b\) => a - b;\n\+export const sum = \(a, b\) => a \+ b;$/m);
    }

    const [pull, ...more] = forge.pulls.all;
    assert.deepEqual(
      [pull?.head.ref.startsWith("maint/run_"), pull?.base.ref, pull?.draft, more],
      [true, "main", true, []],
    );

    await using withoutCi = await startForge({ folder: join(installation.folder, "withoutCi"), token: FORGE_TOKEN });
    await assertCiCandidate(api, withoutCi);

    // The new license key is sent to the connected worker; the old one is rejected.
    const rotated = await api("/api/account/license?notify_workers=1", { method: "POST" });
    const { license_key: secondKey, ...summary } = rotated.body;
    assert.deepEqual([rotated.status, summary], [200, { notified_workers: true, notified_workers_count: 1 }]);
    const connect = (key: string) => ask(`${panel.url}/api/worker/connect`, { token: key });
    assert.deepEqual([(await connect(firstKey)).status, (await connect(secondKey)).status], [401, 400]);
    const [worker] = (await api("/api/worker/status")).body.workers;
    assert.deepEqual(
      [worker.name, worker.embedded, worker.connected, worker.key_current],
      ["embedded", true, true, true],
    );

    assert.equal(await panel.end("SIGTERM"), 0);
    await assertNoSecrets(installation.folder, panel, [firstKey, secondKey, FORGE_TOKEN, cookie.split("=")[1] ?? ""]);
  },
);

interface FoundCandidate {
  readonly gate_proof: { readonly exit_code: number };
  readonly mendable: boolean;
}

/** A run for the candidate `Add a CI workflow` may add files under protected paths, but not change existing ones. */
async function assertCiCandidate(api: Api, forge: Forge): Promise<void> {
  const files = { "sum.mjs": "export const sum = (a, b) => a + b;\n", "test.mjs": FILES["test.mjs"] };
  await createBareRepository(join(forge.folder, "acme", "sum.git"), {
    ...files,
    LICENSE: "MIT\n",
    "README.md": "# Sum\n",
  });
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
  await waitForEnd(api, scout.body.id);
  const [candidate, ...others] = (await api(`/api/repos/${repo.id}/candidates`)).body.items;
  assert.deepEqual([candidate?.gate.cmd, others], ["triptych gate has ci", []]);
  const runWith = async (script: string) => {
    const team = { preset: "solo", members: [{ role: "coder", cli: "command", command: ["/bin/sh", "-c", script] }] };
    const run = await api(`/api/candidates/${candidate.id}/run`, { method: "POST", body: { team } });
    assert.equal(run.status, 202, run.text);
    await waitForEnd(api, run.body.id);
    return (await api(`/api/runs/${run.body.id}`)).body;
  };
  const added = "mkdir -p .github/workflows && echo 'on: push' > .github/workflows/ci.yml";
  const rejected = await runWith(`${added}; echo more >> README.md`);
  assert.deepEqual([rejected.state, rejected.result.code], ["failed", "protected_path"], JSON.stringify(rejected));
  const run = await runWith(added);
  assert.deepEqual([run.state, run.verify.verdict, run.diff.files], ["pr_open", "passed", 1], JSON.stringify(run));
  const [pull] = forge.pulls.all;
  assert.ok(pull?.draft);
  assert.match(pull.body, /\*\*Draft:\*\* this change adds files under protected paths\./);
}

/** The test failed at the baseline and passed at the end, and the branch points to the run's head. */
async function assertPushed(api: Api, id: string, bare: string) {
  const { body: run } = await api(`/api/runs/${id}`);
  assert.deepEqual([run.phase, run.verify?.verdict], ["success", "passed"], JSON.stringify(run));
  assert.equal(run.verify.baseline.exit_code, 1);
  assert.equal(run.verify.attempts.at(-1).exit_code, 0);
  assert.equal(await git(bare, "rev-parse", `refs/heads/maint/${id}`), run.head_sha);
  return run;
}

/** Reads an event stream until its `end` event. */
async function readEventStream(url: string, { token }: { readonly token: string }) {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream" } });
  const events = (await response.text()).split("\n\n").filter((event) => event.includes("data: "));
  assert.match(events.at(-1) ?? "", /^event: end\n/);
  const dataOf = (event: string) => JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? "null");
  const messages = events.slice(0, -1);
  return { messages: messages.map(dataOf), lastId: /^id: (\d+)$/m.exec(messages.at(-1) ?? "")?.[1] ?? "" };
}

/** No secret is in the output or in a file of the data folder, except in `credentials.json`. */
async function assertNoSecrets(folder: string, panel: Product, secrets: readonly string[]): Promise<void> {
  const data = join(folder, "data");
  const found = await readdir(data, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile() && entry.name !== "credentials.json");
  const texts = await Promise.all(
    files.map(async (entry) => [join(entry.parentPath, entry.name), await textOf(entry)] as const),
  );
  assert.ok(texts.some(([, text]) => text.includes("Repair the sum.")));
  for (const [source, text] of [...texts, ["the output", panel.log() + panel.errorLog()] as const]) {
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
