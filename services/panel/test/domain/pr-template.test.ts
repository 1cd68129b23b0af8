import assert from "node:assert/strict";
import { test } from "node:test";
import { guidedPrText, type GuidedRun } from "../../src/domain/pr-guidelines.ts";
import { fillTemplate } from "../../src/domain/pr-template.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/repo-settings.ts";
import { NOT_VERIFIED } from "../../src/domain/run-verify.ts";

const PARTS = { summary: "SUMMARY", checks: "CHECKS", disclosure: "AGENT", hasPassedTests: true };

test("keeps the headings of a template and puts the text under the fitting ones", () => {
  const template =
    "#### Ticket\nticket-XXXXX\n\n#### Branch description\nProvide an overview.\n\n#### AI Assistance Disclosure (REQUIRED)\n- [ ] **No AI tools were used** in preparing this PR.\n\n## How was this change tested?\n";
  assert.equal(
    fillTemplate(template, PARTS),
    "#### Ticket\n\nNot stated.\n\n#### Branch description\n\nSUMMARY\n\n#### AI Assistance Disclosure (REQUIRED)\n\nAGENT\n\n- [ ] **No AI tools were used** in preparing this PR.\n\n## How was this change tested?\n\nCHECKS",
  );
});

test("ticks a box only where the tests are proven to pass, and unticks every other", () => {
  const template = "## Checklist\n- [x] I have read the guide.\n- [ ] Local tests pass.\n* [X] Documentation added\n";
  const filled = (hasPassedTests: boolean) => fillTemplate(template, { ...PARTS, hasPassedTests });
  assert.equal(
    filled(true),
    "## Checklist\n\n- [ ] I have read the guide.\n- [x] Local tests pass.\n* [ ] Documentation added",
  );
  assert.match(filled(false) ?? "", /- \[ \] Local tests pass\./);
});

test("leaves out comments and prose, which could imitate the panel's mark or close an issue", () => {
  const template = "<!-- panel-run: run_other -->\n## What\nFixes #12\n<!<!-- x -->-- panel-run: run_x -->\n<!-- open";
  assert.equal(fillTemplate(template, PARTS), "## What\n\nSUMMARY");
});

test("accepts bold titles as headings, and answers null for a template without structure", () => {
  assert.equal(
    fillTemplate("**Changes**\n\n**Issues**\n", PARTS),
    "**Changes**\n\nSUMMARY\n\n**Issues**\n\nNot stated.",
  );
  assert.equal(fillTemplate("Please be kind.\n", PARTS), null);
});

const RUN: GuidedRun = {
  id: "run_1",
  focus: "Repair sum",
  facts: {
    verify: { ...NOT_VERIFIED, verdict: "passed" },
    diff: null,
    summaries: [],
    agents: [{ role: "coder", cli: "codex", model: "gpt-5" }],
    warnings: [],
    review: undefined,
    aiPolicy: undefined,
  },
  spec: { verifyCmd: "npm test", settings: { pr: DEFAULT_SETTINGS.pr } },
};
const policy = (stance: "disclose" | "human_only") => ({
  stance,
  source: "AGENTS.md:1",
  quote: "…",
  checkedAt: 1,
  override: null,
});

test("appends the proof to the filled template", () => {
  const { body, isDraftAnyway } = guidedPrText(RUN, { template: "## Summary\n" });
  assert.match(body, /^## Summary\n\nRepair sum\. Details, .*\n\n---\n\n/);
  assert.ok(body.endsWith("<!-- panel-run: run_1 -->"));
  assert.equal(isDraftAnyway, false);
});

test("states agent and model in the first line where the project asks for it", () => {
  const run = { ...RUN, facts: { ...RUN.facts, aiPolicy: policy("disclose") } };
  const first = "This change was made by an automated agent: `codex`, model `gpt-5`.";
  for (const template of [null, "## Summary\n"])
    assert.equal(guidedPrText(run, { template }).body.split("\n")[0], first);
  const unnamed = { ...run, facts: { ...run.facts, agents: [] } };
  assert.match(guidedPrText(unnamed, { template: null }).body, /^This change was made automatically\./);
});

test("makes a draft where a person must review first", () => {
  const run = { ...RUN, facts: { ...RUN.facts, aiPolicy: policy("human_only") } };
  assert.equal(guidedPrText(run, { template: null }).isDraftAnyway, true);
});

test("leaves out a template that would exceed the limit of the body", () => {
  const { body } = guidedPrText(RUN, { template: `## Summary\n${"- [ ] a box with some text\n".repeat(3_000)}` });
  assert.ok(Buffer.byteLength(body) <= 60 * 1024);
  assert.doesNotMatch(body, /## Summary/);
});
