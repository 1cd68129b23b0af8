/**
 * What a pull request says. The focus is a person's text, names of files and codes come from elsewhere: what is not ours stands in a
 * fence, where no forge reads mentions, closing words or mark-up in it.
 */
import type { RunRecord } from "./records.ts";

export interface PrText {
  readonly title: string;
  readonly body: string;
  /** What was not proved is never presented as finished. */
  readonly isDraftAnyway: boolean;
}

const TITLE_MAX = 120;

const VERDICTS: Readonly<Record<string, string>> = {
  passed: "The checks pass.",
  gate_only: "**Draft:** the gate passes; the repository's own checks were red before this change and still are.",
  flaky: "**Draft:** the checks failed once and passed when they were run again on the same tree.",
  skipped: "**Draft:** this repository has no command that checks a change, so nothing was checked.",
};

export function prTextOf(run: RunRecord): PrText {
  const { facts, order } = run;
  const verdict = facts.verify.verdict ?? "skipped";
  const wasRed = facts.verify.baseline !== null && facts.verify.baseline.exit_code !== 0;
  const said =
    verdict === "passed" && wasRed
      ? "**Fixed:** the checks were red before this change and pass now."
      : VERDICTS[verdict];
  const checks = facts.verify.attempts.map(
    ({ n, exit_code, duration_ms }) => `| ${n} | ${exit_code ?? "cut off"} | ${duration_ms} ms |`,
  );
  const { diff } = facts;
  const parts = [
    said ?? "**Draft:** the checks did not come to a verdict.",
    fenced(run.focus),
    checks.length === 0 ? "" : ["| Check | Exit code | Took |", "| --- | --- | --- |", ...checks].join("\n"),
    diff === null ? "" : sizeOf(diff),
    facts.warnings.includes("tests_changed")
      ? "**Look closely:** tests that existed before were changed or deleted."
      : "",
    order.mayAddProtected === true ? "**Draft:** it adds files where otherwise only people change any." : "",
    `<!-- panel-run: ${run.id} -->`,
  ];
  return {
    title: titleOf(order.settings.pr.title_prefix, run.focus),
    body: parts.filter(Boolean).join("\n\n"),
    isDraftAnyway: verdict !== "passed" || order.mayAddProtected === true,
  };
}

function titleOf(prefix: string, focus: string): string {
  const lines = focus.split(/[\r\n]+/).map((line) => line.replaceAll(/\p{Cc}/gu, " ").trim());
  // By code points: half a character would not be UTF-8.
  const text = Array.from(`${prefix}${lines.find(Boolean) ?? "Maintenance"}`);
  return text.length > TITLE_MAX ? `${text.slice(0, TITLE_MAX - 1).join("")}…` : text.join("");
}

/** Longer than any run of back-ticks in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** What `git request-pull` would say, for where there are no pull requests. */
export function requestPullOf(
  run: RunRecord,
  { url, branch }: { readonly url: string; readonly branch: string },
): string {
  const { base, headSha } = run.facts;
  return [
    `The following changes since commit ${base?.sha ?? ""}:`,
    "",
    `are available in the git repository at ${url}, branch ${branch}`,
    "",
    `for you to fetch changes up to ${headSha ?? ""}.`,
  ].join("\n");
}

function sizeOf({ files, insertions, deletions }: NonNullable<RunRecord["facts"]["diff"]>): string {
  const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
  return `${count(files, "file")}, ${count(insertions, "line")} added, ${deletions} removed.`;
}
