import assert from "node:assert/strict";
import { test } from "node:test";
import { runCampaign } from "../../chaos/campaign.ts";

/** Each kill is a start of a process. The long form has more of them. */
const LONG = process.env["TRIPTYCH_LONG"] !== undefined;
const [runs, kills] = LONG ? [120, 40] : [6, 5];

test(`${kills} kill -9 of panel and workers during ${runs} runs: none lost, stuck, pushed twice or with two pull requests`, async () => {
  const outcome = await runCampaign({ seed: 20_261_122, runs, kills, workers: LONG ? 3 : 1, repos: LONG ? 3 : 1 });
  assert.deepEqual(outcome.violations, []);
  assert.equal(outcome.kills.panel + outcome.kills.worker, kills);
  assert.equal(outcome.states.get("pr_open"), runs);
});
