import assert from "node:assert/strict";
import { test } from "node:test";
import { EFFECT_LEASE_MS } from "../../src/domain/effects.ts";
import type { PanelStore } from "../../src/domain/repositories.ts";
import { anyAddress } from "../../src/git/addresses.ts";
import { openDeliveryServices } from "../../src/compose/delivery-services.ts";
import { git, createDeliveryFixture } from "../support/delivery-fixture.ts";

/** A process that dies at its n-th store call: before the commit, or after it without the response. */
function dyingAt(store: PanelStore, n: number) {
  let dealings = 0;
  const isDead = () => dealings >= n;
  const deal = () => {
    if (isDead() || ++dealings >= n) throw new Error("the process died");
  };
  const dying: PanelStore = {
    ...store,
    of(owner) {
      deal();
      return store.of(owner);
    },
    async change(owner, work) {
      deal();
      const made = await store.change(owner, work);
      deal();
      return made;
    },
  };
  return { dying, isDead };
}

const EVERY = process.env["TEST_LONG"] === undefined ? 7 : 1;

test("creates one branch and one pull request after a crash at any point", async () => {
  await using fixture = await createDeliveryFixture();
  await fixture.ask("PATCH", `/api/repos/${fixture.repo.id}`, { token: fixture.token, body: { pr: { auto: true } } });
  // The fixture's own effects are stopped: only the dying processes run them.
  await fixture.deliveryServices.effects[Symbol.asyncDispose]();
  const { store, seal, now, statementKeys } = fixture.panel;
  const open = (of: PanelStore, by: string) =>
    openDeliveryServices({
      store: of,
      seal,
      statementKeys,
      onNotice: () => {},
      panelUrl: () => "http://panel.test",
      tokenKeys: { run: new Uint8Array(32), check: new Uint8Array(32) },
      newId: (prefix) => prefix,
      folder: fixture.folder,
      blobs: fixture.blobs,
      resolve: anyAddress,
      findSecrets: async () => [],
      redact: (_key, text) => Promise.resolve({ text, found: 0 }),
      by,
      now,
      timers: { after: () => () => {} },
      onError: () => {},
    });
  let [n, isThrough] = [1, false];
  for (; !isThrough; n += EVERY) {
    const { run } = await fixture.handOver({ "sum.js": `export const sum = (a, b) => a + b; // ${n}\n` });
    const { dying, isDead } = dyingAt(store, n);
    const first = await open(dying, `nod_${n}`);
    for (let looks = 0; looks < 4; looks++) await first.effects.poll().catch(() => {});
    await first[Symbol.asyncDispose]();
    isThrough = !isDead();
    fixture.pass(EFFECT_LEASE_MS + 1);
    const second = await open(store, `nod_${n}_again`);
    for (let looks = 0; looks < 4; looks++) await second.effects.poll();
    await second[Symbol.asyncDispose]();
    const ended = await fixture.runOf(run.id);
    assert.equal(ended.state, "pr_open", `died at ${n}`);
    assert.ok(await store.of(fixture.owner).statements.find(run.id), `died at ${n}: no statement`);
    assert.equal(await git(fixture.bare, "rev-parse", `refs/heads/maint/${run.id}`), ended.facts.headSha);
    const made = fixture.forge.pulls.all.filter(({ head }) => head.ref === `maint/${run.id}`);
    assert.equal(made.length, 1, `died at ${n}`);
  }
  assert.ok(n > 10, `it has more than ten dealings with the store, not ${n}`);
});
