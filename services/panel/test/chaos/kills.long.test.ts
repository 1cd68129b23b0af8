import assert from "node:assert/strict";
import { test } from "node:test";
import { runCampaign } from "../../chaos/campaign.ts";
import { SLOTS } from "../../chaos/stage.ts";

/** Each kill restarts a process; `npm run chaos:panel` has more of them. */
const [runs, kills] = [40, 12];

test(`survives ${kills} kill -9 of panel and workers during ${runs} runs: none lost, stuck, pushed twice or with two pull requests`, async () => {
  const outcome = await runCampaign({ seed: 20_261_122, runs, kills, workers: 3, repos: 3 });
  assert.deepEqual(outcome.violations, []);
  assert.equal(outcome.kills.panel + outcome.kills.worker, kills);
  // A run is lost after three deaths of its worker.
  const [opened = 0, lost = 0] = [outcome.states.get("pr_open"), outcome.states.get("lost")];
  assert.equal(opened + lost, runs);
  assert.ok(lost * 3 <= outcome.kills.worker * SLOTS, `${lost} of ${runs} runs were lost`);
});
