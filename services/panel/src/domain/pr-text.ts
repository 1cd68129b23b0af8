/**
 * What a pull request says. The focus is a person's text, names of files and codes come from elsewhere: what is not ours stands in a
 * fence, where no forge reads mentions, closing words or mark-up in it.
 */
import type { RepoSettings } from "@triptych/contracts";
import type { ReviewComment, RunFacts, RunRecord } from "./records.ts";
import { isFixed } from "./run-verify.ts";

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

/** What of a run is told. */
export interface PrSubject extends Pick<RunRecord, "id" | "focus"> {
  readonly facts: Pick<RunFacts, "verify" | "diff" | "warnings" | "review">;
  readonly order: { readonly settings: Pick<RepoSettings, "pr">; readonly mayAddProtected?: boolean };
}

export function prTextOf(run: PrSubject): PrText {
  const { facts, order } = run;
  const verdict = facts.verify.verdict ?? "skipped";
  const said = isFixed(facts.verify)
    ? "**Fixed:** the checks failed before this change and pass now."
    : VERDICTS[verdict];
  const checks = facts.verify.attempts.map(
    ({ n, exit_code, duration_ms }) => `| ${n} | ${exit_code ?? "cut off"} | ${duration_ms} ms |`,
  );
  const { diff } = facts;
  const { review } = facts;
  const isUnapproved = review?.approved === false;
  const parts = [
    said ?? "**Draft:** the checks did not come to a verdict.",
    isUnapproved ? "**Draft:** nobody who reviewed this change has approved it." : "",
    fenced(run.focus),
    isUnapproved && review.comments.length > 0 ? openComments(review.comments) : "",
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
    isDraftAnyway: verdict !== "passed" || isUnapproved || order.mayAddProtected === true,
  };
}

function titleOf(prefix: string, focus: string): string {
  const lines = focus.split(/[\r\n]+/).map((line) => line.replaceAll(/\p{Cc}/gu, " ").trim());
  // By code points: half a character would not be UTF-8.
  const text = Array.from(`${prefix}${lines.find(Boolean) ?? "Maintenance"}`);
  return text.length > TITLE_MAX ? `${text.slice(0, TITLE_MAX - 1).join("")}…` : text.join("");
}

const COMMENTS_SHOWN = 50;
const COMMENTS_CHARACTERS = 20_000;

/** A forge refuses a text that is too long: what does not fit stands on the bus of the run. */
function openComments(comments: readonly ReviewComment[]): string {
  const lines = comments.slice(0, COMMENTS_SHOWN).map(({ path, line, text }) => {
    const place = [path, line].filter((part) => part !== "" && part !== null).join(":");
    return place === "" ? text : `${place}  ${text}`;
  });
  const shown = Array.from(lines.join("\n")).slice(0, COMMENTS_CHARACTERS).join("");
  const more = comments.length > COMMENTS_SHOWN ? ` (the first ${COMMENTS_SHOWN} of ${comments.length})` : "";
  return `What the review left open${more}:\n\n${fenced(shown)}`;
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
