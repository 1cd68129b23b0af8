import assert from "node:assert/strict";
import { test } from "node:test";
import { runCampaign } from "../../chaos/campaign.ts";

/** Each pull request needs two follow-ups; `npm run chaos:panel -- --red-heads 2` has more runs and kills. */
const [runs, redHeads, kills] = [12, 2, 8];

test(`survives ${kills} kill -9 of panel and worker during ${runs * redHeads} follow-ups: one push for each, one pull request, one comment`, async () => {
  const outcome = await runCampaign({ seed: 20_261_127, runs, redHeads, kills, workers: 2, repos: 2 });
  assert.deepEqual(outcome.violations, []);
  assert.equal(outcome.kills.panel + outcome.kills.worker, kills);
  assert.ok((outcome.states.get("pr_open") ?? 0) >= runs);
});
