import { test } from "node:test";
import assert from "node:assert/strict";
import { findAiPolicy } from "@triptych/change-policy";
import sentences from "./ai-policy-sentences.json" with { type: "json" };

const same = (text: string) => text;
const stanceIn = (path: string, text: string) => findAiPolicy([{ path, text }], same).stance;

/** Sentences from real projects. Those from other documents are tested as if they were in CONTRIBUTING.md. */
for (const { project, file, stance, text } of sentences)
  test(`reads ${stance} in ${project} ${file}: ${text.slice(0, 60)}`, () => {
    const path = /agents|claude/i.test(file) ? file : "CONTRIBUTING.md";
    assert.equal(stanceIn(path, `# Guide\n\n${text}\n`), stance);
  });

test("the data has at least 40 real sentences and covers each stance", () => {
  assert.ok(sentences.length >= 40);
  assert.deepEqual(
    [...new Set(sentences.map(({ stance }) => stance))],
    ["forbidden", "human_only", "disclose", "none"],
  );
});

test("returns the file and line of the sentence, joins its lines, and omits the rest of the paragraph", () => {
  const text = [
    "# Contributing",
    "",
    "Be kind. We do not accept contributions",
    "that were written by an LLM. Thanks.",
    "",
  ];
  assert.deepEqual(findAiPolicy([{ path: "CONTRIBUTING.md", text: text.join("\n") }], same), {
    stance: "forbidden",
    source: "CONTRIBUTING.md:3",
    quote: "We do not accept contributions that were written by an LLM.",
  });
});

test("returns the first sentence of the strictest stance in all files", () => {
  const disclosed = { path: "AGENTS.md", text: "All AI usage must be disclosed.\n" };
  const forbidden = { path: "CONTRIBUTING.md", text: "Hello.\n\nNo LLMs for pull requests.\n\nNo LLMs for issues.\n" };
  const found = findAiPolicy([disclosed, forbidden], same);
  assert.deepEqual([found.stance, found.source], ["forbidden", "CONTRIBUTING.md:3"]);
  assert.equal(findAiPolicy([disclosed], same).source, "AGENTS.md:1");
});

test("reads list items together with the sentence before the list", () => {
  const text = "We do not accept:\n\n- untested changes\n- AI-generated pull requests\n";
  const found = findAiPolicy([{ path: "CONTRIBUTING.md", text }], same);
  assert.deepEqual([found.stance, found.source], ["forbidden", "CONTRIBUTING.md:4"]);
  assert.equal(found.quote, "We do not accept: AI-generated pull requests");
});

test("reads quotes, alerts and HTML comments, but not fenced code", () => {
  const rule = "We do not accept AI-generated pull requests.";
  const alert = findAiPolicy([{ path: "CONTRIBUTING.md", text: `> [!IMPORTANT]\n> ${rule}\n` }], same);
  assert.deepEqual(alert, { stance: "forbidden", source: "CONTRIBUTING.md:2", quote: rule });
  assert.equal(stanceIn(".github/PULL_REQUEST_TEMPLATE.md", `<!-- ${rule} -->\n`), "forbidden");
  assert.equal(stanceIn("CONTRIBUTING.md", `\`\`\`\n${rule}\n\`\`\`\n`), "none");
  assert.equal(stanceIn("CONTRIBUTING.md", `~~~~md\n\`\`\`\n${rule}\n~~~~\n`), "none");
});

test("applies a rule about opening pull requests to agents only in files that address agents", () => {
  const rule = "Never open a pull request without the user's explicit approval.";
  assert.equal(stanceIn("AGENTS.md", rule), "human_only");
  assert.equal(stanceIn(".github/copilot-instructions.md", rule), "human_only");
  assert.equal(stanceIn("CONTRIBUTING.md", rule), "none");
});

test("redacts the quote, and shortens it to 300 characters", () => {
  const text = `We do not accept AI-generated pull requests, says hunter2${" and so on".repeat(100)}.`;
  const found = findAiPolicy([{ path: "CONTRIBUTING.md", text }], (quote) => quote.replace("hunter2", "[redacted]"));
  assert.match(found.quote ?? "", /says \[redacted\] and so on/);
  assert.equal(found.quote?.length, 300);
});

test("returns `none` without files, and for text that is not prose", () => {
  assert.deepEqual(findAiPolicy([], same), { stance: "none", source: null, quote: null });
  assert.equal(stanceIn("AGENTS.md", "ai pr ".repeat(10_000)), "none");
});
