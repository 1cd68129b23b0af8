/** Tests the panel's GitHub client against a third-party emulator, to find wrong assumptions that our client and our fake share. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createEmulator } from "emulate";
import { createForgeCall } from "../../services/panel/src/forges/call.ts";
import { githubForge } from "../../services/panel/src/forges/github.ts";

const TOKEN = "token-of-the-test";
const PR_INPUT = { title: "Repair", body: "It is fixed.", branch: "maint/one", base: "main", draft: true, labels: [] };

async function openEmulated() {
  const emulator = await createEmulator({
    service: "github",
    port: 0,
    seed: {
      tokens: { [TOKEN]: { login: "acme", scopes: ["repo"] } },
      github: {
        users: [{ login: "acme" }, { login: "ada" }],
        repos: [{ owner: "acme", name: "sum", auto_init: true }],
      },
    },
  });
  const call = createForgeCall({
    base: emulator.url,
    headers: { Authorization: `Bearer ${TOKEN}` },
    resolve: async () => null,
    timeoutMs: 5_000,
    onAnswer: () => {},
  });
  return { call, forge: githubForge(call, "acme/sum"), [Symbol.asyncDispose]: () => emulator.close() };
}

test("creates a pull request, finds it by its head, reads, closes and reopens it", async () => {
  await using emulated = await openEmulated();
  const { forge, call } = emulated;
  assert.deepEqual(await forge.findPrsByHead("maint/one"), []);
  const made = await forge.createPr(PR_INPUT);
  assert.deepEqual([made.state, made.draft], ["open", true]);
  assert.match(made.url, new RegExp(`/acme/sum/pull/${made.number}$`));
  assert.deepEqual(await forge.findPrsByHead("maint/one"), [made]);
  assert.deepEqual(await forge.findPrsByHead("maint/other"), []);
  await forge.decorate(made.number, { labels: ["maintenance"], reviewers: ["ada"], assignees: [] });
  await call("PATCH", `/repos/acme/sum/pulls/${made.number}`, { state: "closed" });
  assert.equal((await forge.getPr(made.number)).state, "closed");
  assert.equal((await forge.reopenPr(made.number))?.state, "open");
  // A draft cannot be merged.
  const second = await forge.createPr({ ...PR_INPUT, branch: "maint/two", draft: false });
  const merged = await call("PUT", `/repos/acme/sum/pulls/${second.number}/merge`, {});
  assert.equal(merged.status, 200, JSON.stringify(merged.body));
  assert.equal((await forge.getPr(second.number)).state, "merged");
});

test("returns the permissions of the credential, and an error for a missing repository", async () => {
  await using emulated = await openEmulated();
  assert.deepEqual(await emulated.forge.checkCredential(), { push: true, openPr: true });
  await assert.rejects(githubForge(emulated.call, "acme/none").checkCredential(), { name: "ForgeError", status: 404 });
  await assert.rejects(emulated.forge.getPr(99), { name: "ForgeError", status: 404 });
});
