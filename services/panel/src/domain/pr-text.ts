/**
 * Title and body of a pull request. Focus, commands, evidence and comments are untrusted. They are put into fences, where forges ignore
 * mentions, closing keywords and markup.
 */
import { titleOf } from "@triptych/change-policy";
import type { RepoSettings } from "@triptych/contracts";
import type { RunFacts, RunSpec, RunRecord } from "./records.ts";
import type { ReviewComment } from "./run-agents.ts";
import { fenced } from "./markdown.ts";
import { checkSections, type LogTails, NO_LOGS } from "./pr-checks.ts";
import { provenanceOf } from "./pr-provenance.ts";
import { isFixed } from "./run-verify.ts";

export interface PrText {
  readonly title: string;
  readonly body: string;
  /** An unproved change is never presented as finished. */
  readonly isDraftAnyway: boolean;
}

const VERDICTS: Readonly<Record<string, string>> = {
  passed: "The checks pass.",
  gate_only: "**Draft:** the gate passes; the repository's own checks failed before this change and still fail.",
  flaky: "**Draft:** the checks are flaky: they failed once and passed on a retry of the same tree.",
  skipped: "**Draft:** this repository has no test command, so nothing was checked.",
};

export interface PrSubject extends Pick<RunRecord, "id" | "focus"> {
  readonly facts: Pick<RunFacts, "verify" | "diff" | "summaries" | "agents" | "warnings" | "review"> &
    Partial<Pick<RunFacts, "base" | "headSha" | "usage">>;
  readonly spec: Pick<RunSpec, "verifyCmd" | "candidate" | "mayAddProtected"> & {
    readonly settings: Pick<RepoSettings, "pr">;
  };
}

/** Forges refuse longer bodies: GitHub above 65,536 characters. Each part below is bounded so that the sum fits. */
export const PR_BODY_BYTES_MAX = 60 * 1024;
const FOCUS_BYTES_MAX = 8 * 1024;
const RATIONALE_BYTES_MAX = 4 * 1024;
const EVIDENCE_BYTES_MAX = 5 * 1024;
const COMMENTS_BYTES_MAX = 10 * 1024;
const EXCERPT_CHARACTERS_MAX = 200;
const COMMENTS_MAX = 50;

/** `publicUrl`: the panel's URL for readers of the pull request. */
export function prTextOf(run: PrSubject, publicUrl?: string, logs: LogTails = NO_LOGS): PrText {
  const { facts, spec, focus } = run;
  const { candidate } = spec;
  const verdict = facts.verify.verdict ?? "skipped";
  const isUnapproved = facts.review?.approved === false;
  const parts = [
    isFixed(facts.verify)
      ? "**Fixed:** the checks failed before this change and pass now."
      : (VERDICTS[verdict] ?? "**Draft:** the checks have no verdict."),
    isUnapproved ? "**Draft:** no reviewer approved this change." : "",
    fenced(focus, FOCUS_BYTES_MAX),
    candidate === undefined || candidate.rationale === ""
      ? ""
      : `Why:\n\n${fenced(candidate.rationale, RATIONALE_BYTES_MAX)}`,
    candidate === undefined || candidate.evidence.length === 0 ? "" : evidenceOf(candidate.evidence),
    facts.review !== undefined && isUnapproved ? openComments(facts.review.comments) : "",
    checkSections(run, logs),
    facts.warnings.includes("tests_changed") ? "**Review closely:** this change edits or deletes existing tests." : "",
    spec.mayAddProtected === true ? "**Draft:** this change adds files under protected paths." : "",
    provenanceOf(run, publicUrl),
    `<!-- panel-run: ${run.id} -->`,
  ];
  const { title_prefix: prefix } = spec.settings.pr;
  return {
    title: titleOf({ title: candidate?.title, focus, summaries: facts.summaries ?? [], prefix }),
    body: parts.filter(Boolean).join("\n\n"),
    isDraftAnyway: verdict !== "passed" || isUnapproved || spec.mayAddProtected === true,
  };
}

const CHECK_TITLES: Readonly<Record<string, string>> = {
  passed: "The checks pass",
  gate_only: "The gate passes, the repository's checks fail as before",
  flaky: "The checks are flaky",
  skipped: "Nothing was checked: no test command",
};

export interface CheckText {
  readonly title: string;
  readonly summary: string;
  /** Whether the check run succeeds: false if the pull request is a draft. */
  readonly isProven: boolean;
}

/** The check run has the content of the pull request, without logs: its limit is the same. */
export function checkTextOf(run: PrSubject, publicUrl?: string): CheckText {
  const { body, isDraftAnyway } = prTextOf(run, publicUrl);
  const isUnapproved = run.facts.review?.approved === false;
  const title = CHECK_TITLES[run.facts.verify.verdict ?? "skipped"] ?? "The checks have no verdict";
  return { title: isUnapproved ? `${title}; no reviewer approved` : title, summary: body, isProven: !isDraftAnyway };
}

type Evidence = NonNullable<RunSpec["candidate"]>["evidence"];

function evidenceOf(evidence: Evidence): string {
  const lines = evidence.map(({ path, line, excerpt }) => {
    const [first = ""] = excerpt.split(/[\r\n]/);
    const clipped = Array.from(first.trim()).slice(0, EXCERPT_CHARACTERS_MAX).join("");
    return `${line === null ? path : `${path}:${line}`}  ${clipped}`.trimEnd();
  });
  return `Evidence:\n\n${fenced(lines.join("\n"), EVIDENCE_BYTES_MAX)}`;
}

/** Comments beyond the limit stay on the run's bus. */
function openComments(comments: readonly ReviewComment[]): string {
  if (comments.length === 0) return "";
  const lines = comments.slice(0, COMMENTS_MAX).map(({ path, line, text }) => {
    const location = [path, line].filter((part) => part !== "" && part !== null).join(":");
    return location === "" ? text : `${location}  ${text}`;
  });
  const more = comments.length > COMMENTS_MAX ? ` (the first ${COMMENTS_MAX} of ${comments.length})` : "";
  return `Open review comments${more}:\n\n${fenced(lines.join("\n"), COMMENTS_BYTES_MAX)}`;
}

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
