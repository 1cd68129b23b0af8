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

test("checks a box only if the tests are proven to pass, and unchecks all others", () => {
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
const redact = (text: string) => text;
const guided = (run: GuidedRun, template: string | null) => guidedPrText(run, { template, redact });
const policy = (stance: "disclose" | "human_only") => ({
  stance,
  source: "AGENTS.md:1",
  quote: "…",
  checkedAt: 1,
  override: null,
});

test("appends the proof to the filled template", () => {
  const { body, isDraftAnyway } = guided(RUN, "## Summary\n");
  assert.match(body, /^## Summary\n\n`Repair sum`\. Details, .*\n\n---\n\n/);
  assert.ok(body.endsWith("<!-- panel-run: run_1 -->"));
  assert.equal(isDraftAnyway, false);
});

test("states agent and model in the first line if the project asks for it", () => {
  const run = { ...RUN, facts: { ...RUN.facts, aiPolicy: policy("disclose") } };
  const first = "This change was made by an automated agent: `codex`, model `gpt-5`.";
  for (const template of [null, "## Summary\n"]) assert.equal(guided(run, template).body.split("\n")[0], first);
  const unnamed = { ...run, facts: { ...run.facts, agents: [] } };
  assert.match(guided(unnamed, null).body, /^This change was made automatically\./);
});

test("makes a draft if a person must review first", () => {
  const run = { ...RUN, facts: { ...RUN.facts, aiPolicy: policy("human_only") } };
  assert.equal(guided(run, null).isDraftAnyway, true);
});

test("omits a template that would exceed the limit of the body", () => {
  const { body } = guided(RUN, `## Summary\n${"- [ ] a box with some text\n".repeat(3_000)}`);
  assert.ok(Buffer.byteLength(body) <= 60 * 1024);
  assert.doesNotMatch(body, /## Summary/);
});

test("redacts title and body, and omits the logs if the redacted text would be too long", () => {
  const logs = { verify: { before: "s\n".repeat(40), after: null }, gate: { before: null, after: null } };
  const run = { ...RUN, focus: "Use s as the key" };
  const short = guidedPrText(run, { template: null, logs, redact: (text) => text.replaceAll(/\bs\b/g, "[secret]") });
  assert.equal(short.title, "Use [secret] as the key");
  assert.match(short.body, /before the change<\/summary>\n\n```text\n\[secret\]\n/);
  const mark = "*".repeat(2_000);
  const long = guidedPrText(run, { template: null, logs, redact: (text) => text.replaceAll(/\bs\b/g, mark) });
  assert.doesNotMatch(long.body, /<details>/);
  assert.ok(long.body.includes(mark));
  assert.ok(Buffer.byteLength(long.body) <= 60 * 1024);
});

test("bounds the agents in a disclosure", () => {
  const agents = Array.from({ length: 1_000 }, (_, n) => {
    return { role: "coder" as const, cli: `${n}${"x".repeat(1_000)}`, model: null };
  });
  const run = { ...RUN, facts: { ...RUN.facts, agents, aiPolicy: policy("disclose") } };
  assert.ok((guided(run, null).body.split("\n")[0] ?? "").length < 2_000);
});

test("neither mentions a person nor closes an issue by the title of the change", () => {
  const { body } = guided({ ...RUN, focus: "Repair `sum` for @ada, closes #1" }, "## Summary\n");
  assert.match(body, /^## Summary\n\n`Repair sum for @ada, closes #1`\. Details/);
});
