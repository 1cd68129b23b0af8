import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRules, RulesError } from "../src/rules.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const environment = {
  HOOK_SECRET: SECRET,
  SLACK_URL: "https://hooks.slack.test/services/T0/B0/secret",
  SMTP: "smtp://u:p@mail.test",
  BAD_SMTP: "smtp://[",
};

function parse(text: string) {
  return parseRules(text, { file: "notify.yaml", environment });
}

function issuesOf(text: string): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof RulesError) return error.issues;
    throw error;
  }
  return [];
}

const VALID = `
panel_url: https://panel.example.org
rules:
  - name: failures
    events: [run.failed, worker.offline]
    repos: ["acme/*"]
    to:
      - { type: webhook, url: "https://example.org/hook", secret: "\${HOOK_SECRET}" }
      - { type: slack, url: "\${SLACK_URL}" }
  - events: [run.pr_opened, run.follow_up_exhausted]
    to:
      - { type: ntfy, topic: my-topic }
      - { type: email, smtp: "\${SMTP}", from: a@example.org, to: [b@example.org] }
      - { type: slack, url: "\${SLACK_URL}" }
`;

test("reads rules with every type of target, and lists each target once", () => {
  const { rules, targets, panelUrl } = parse(VALID);
  assert.equal(panelUrl, "https://panel.example.org");
  assert.deepEqual(
    rules.map(({ name }) => name),
    ["failures", "rule-2"],
  );
  assert.deepEqual(
    [...targets.values()].map(({ label }) => label),
    ["webhook example.org", "slack ${SLACK_URL}", "ntfy my-topic", "email to 1 address"],
  );
});

test("matches events by type and by repository glob", () => {
  const [rule] = parse(VALID).rules;
  assert.equal(rule?.matches({ type: "run.failed", repo: "acme/sum" }), true);
  assert.equal(rule?.matches({ type: "run.failed", repo: "other/sum" }), false);
  assert.equal(rule?.matches({ type: "run.pr_opened", repo: "acme/sum" }), false);
});

test("does not apply `repos` to account events", () => {
  const [rule] = parse(VALID).rules;
  assert.equal(rule?.matches({ type: "worker.offline", repo: null }), true);
});

test("lists every issue at once, without values of variables", () => {
  const issues = issuesOf(`
rules:
  - events: [run.exploded]
    repos: ["!acme/*"]
    too: []
    to:
      - { type: webhook, url: "ftp://example.org", secret: "\${SLACK_URL}" }
      - { type: slack, url: "https://hooks.slack.test/literal" }
      - { type: ntfy, topic: "a b", token: "\${MISSING}" }
      - { type: email, smtp: "\${file:/nonexistent}", from: nobody, to: [] }
  - { events: [run.failed], to: [{ type: pager }] }
`);
  const paths = issues.map((issue) => issue.split(": ")[0]);
  for (const path of [
    "rules[0].events[0]",
    "rules[0]",
    "rules[0].to[3].to",
    "rules[1].to[0].type",
    "rules[0].to[1].url",
  ])
    assert.ok(paths.includes(path), `${path} in ${issues.join("\n")}`);
  assert.ok(!issues.join("\n").includes("services/T0"));
});

test("lists every issue of values at once", () => {
  const issues = issuesOf(`
rules:
  - events: [run.failed]
    repos: ["!acme/*"]
    to:
      - { type: webhook, url: "ftp://example.org", secret: "\${SLACK_URL}" }
      - { type: slack, url: "https://hooks.slack.test/literal" }
      - { type: ntfy, topic: "a b", token: "\${MISSING}" }
      - { type: email, smtp: "\${file:/nonexistent}", from: nobody, to: [x@example.org, "y"] }
      - { type: webhook, url: "https://user:password@example.org/", secret: "\${HOOK_SECRET}" }
      - { type: email, smtp: "\${BAD_SMTP}", from: a@example.org, to: [b@example.org] }
`);
  assert.deepEqual(issues, [
    "rules[0].repos[0]: begins with `!`: negation is not supported",
    "rules[0].to[0].url: must be an http:// or https:// URL without user name and password",
    "rules[0].to[0].secret: must be `whsec_` and 24 to 64 bytes in base64, as `openssl rand -base64 32` prints them",
    "rules[0].to[1].url: is a secret: write `${NAME}` or `${file:PATH}`, and set the value there",
    "rules[0].to[2].token: the variable MISSING is not set",
    "rules[0].to[2].topic: must have 1 to 64 letters, digits, `_` and `-`",
    "rules[0].to[3].smtp: the file /nonexistent cannot be read or is empty",
    "rules[0].to[3].to[1]: must be an email address",
    "rules[0].to[3].from: must be an email address",
    "rules[0].to[4].url: must be an http:// or https:// URL without user name and password",
    "rules[0].to[5].smtp: must be an smtp:// or smtps:// URL",
  ]);
});

test("rejects text that is not YAML", () => {
  assert.equal(issuesOf("rules: [").length, 1);
  assert.equal(issuesOf("").length, 1);
});

test("keeps the ID of a target when its secret changes", () => {
  const rotated = { ...environment, HOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString("base64")}` };
  const ids = [...parse(VALID).targets.keys()];
  assert.deepEqual([...parseRules(VALID, { file: "notify.yaml", environment: rotated }).targets.keys()], ids);
});
