/** Plants a thousand secrets in all output of agents and checks, and finds none of them anywhere afterwards. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { encodingsOf, secretOf } from "./support/leak.mjs";
import { ask, createBareRepository, keysOf, waitForEnd, type RequestOptions } from "./support/panel-api.ts";
import { openInstallation } from "./support/product.ts";

const COUNT = 1_000;
const SEED = "planted";
const LEAK = fileURLToPath(new URL("./support/leak.mjs", import.meta.url));

test(`leaks none of ${COUNT} planted secrets into stores, logs, responses and bundles`, async () => {
  const secrets = Array.from({ length: COUNT }, (_, number) => secretOf(SEED, number));
  const registered = secrets.flatMap(({ value, isRegistered }, at) =>
    isRegistered ? [[`PLANTED_${at}_TOKEN`, value]] : [],
  );
  await using installation = await openInstallation();
  const panel = await installation.startPanel({
    PANEL_EMBEDDED_WORKER: "1",
    PANEL_ALLOW_LOCAL_REPOS: "1",
    ...Object.fromEntries(registered),
  });
  const { access_token: token } = await keysOf(installation.folder);
  const api = (path: string, options: RequestOptions = {}) => ask(panel.url + path, { token, ...options });
  const bare = join(installation.folder, "leaking.git");
  await createBareRepository(bare, { "leak.mjs": await readFile(LEAK, "utf8"), "work.txt": "to do\n" });

  const say = `node leak.mjs ${SEED} ${COUNT}`;
  const says = `${say}; echo done > work.txt`;
  const names = `import("./leak.mjs").then(({ secretOf }) => { for (let n = 0; n < ${COUNT}; n++) {
    const { value, isRegistered } = secretOf("${SEED}", n);
    require("fs").writeFileSync(isRegistered ? "file" + n : value, isRegistered ? value : ""); } })`;
  const made = await api("/api/repos", {
    method: "POST",
    body: {
      url: bare,
      verify_cmd: `${say}; grep -q done work.txt`,
      verify: { setup_cmd: say },
      limits: { max_changed_files: 2_000 },
      isolation: { level_required: "worktree" },
      team: { preset: "solo", members: [{ role: "coder", cli: "command", command: ["/bin/sh", "-c", says] }] },
    },
  });
  assert.equal(made.status, 201, made.text);
  const runs = `/api/repos/${made.body.id}/run`;
  const first = await api(runs, { method: "POST", body: { focus: "Say all of them." } });
  await waitForEnd(api, first.body.id);
  const command = ["/bin/sh", "-c", `${says}; node -e '${names}'`];
  const team = { preset: "solo", members: [{ role: "coder", cli: "command", command }] };
  const second = await api(runs, { method: "POST", body: { focus: "Write all of them.", team } });
  await waitForEnd(api, second.body.id);

  const texts: string[] = [];
  for (const [id, state, code] of [
    [first.body.id, "pushed", "ok"],
    [second.body.id, "failed", "secret_in_diff"],
  ]) {
    const run = await api(`/api/runs/${id}`);
    assert.deepEqual([run.body.state, run.body.result?.code ?? null], [state, code], run.text);
    const bus = await api(`/api/runs/${id}/bus?limit=1000`);
    assert.ok(bus.text.split("[redacted:").length > COUNT / 4, "the bus was received");
    texts.push(run.text, bus.text, (await api(`/api/runs/${id}/diff`)).text);
    const artefacts = new Set(Array.from(bus.text.matchAll(/"sha256":"([0-9a-f]{64})"/g), ([, hash]) => hash));
    for (const hash of artefacts) texts.push((await api(`/api/runs/${id}/artifacts/${hash}`)).text);
  }
  assert.equal(await panel.end("SIGTERM"), 0);
  texts.push(panel.log(), panel.errorLog());
  for (const entry of await readdir(join(installation.folder, "data"), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) texts.push(await readFile(join(entry.parentPath, entry.name), "latin1"));
  const all = texts.join("\n");
  assert.ok(all.includes("Say all of them."));
  const found = secrets.flatMap((secret) => encodingsOf(secret).filter((form) => all.includes(form)));
  assert.deepEqual(found, []);
});
