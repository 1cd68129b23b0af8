/**
 * Title and body of a pull request. Focus, commands, evidence and comments are untrusted and stand in fences, where forges ignore mentions,
 * closing keywords and markup.
 */
import { titleOf } from "@triptych/change-policy";
import type { CommandResult, RepoSettings } from "@triptych/contracts";
import type { ReviewComment, RunAgent, RunFacts, RunSpec, RunRecord } from "./records.ts";
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
  readonly facts: Pick<RunFacts, "verify" | "diff" | "summaries" | "agents" | "warnings" | "review">;
  readonly spec: Pick<RunSpec, "verifyCmd" | "candidate" | "mayAddProtected"> & {
    readonly settings: Pick<RepoSettings, "pr">;
  };
}

/** Forges refuse longer bodies: GitHub above 65,536 characters. Each part below is bounded so that the sum fits. */
export const PR_BODY_BYTES_MAX = 60 * 1024;
const FOCUS_BYTES_MAX = 12 * 1024;
const RATIONALE_BYTES_MAX = 6 * 1024;
const EVIDENCE_BYTES_MAX = 8 * 1024;
const COMMAND_BYTES_MAX = 6 * 1024;
const COMMENTS_BYTES_MAX = 16 * 1024;
const EXCERPT_CHARACTERS_MAX = 200;
const COMMENTS_MAX = 50;

/** `publicUrl`: the panel's URL for readers of the pull request. */
export function prTextOf(run: PrSubject, publicUrl?: string): PrText {
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
    checksOf(run),
    facts.diff === null ? "" : sizeOf(facts.diff),
    facts.warnings.includes("tests_changed") ? "**Review closely:** this change edits or deletes existing tests." : "",
    spec.mayAddProtected === true ? "**Draft:** this change adds files under protected paths." : "",
    footerOf(run, publicUrl),
    `<!-- panel-run: ${run.id} -->`,
  ];
  const { title_prefix: prefix } = spec.settings.pr;
  return {
    title: titleOf({ title: candidate?.title, focus, summaries: facts.summaries ?? [], prefix }),
    body: parts.filter(Boolean).join("\n\n"),
    isDraftAnyway: verdict !== "passed" || isUnapproved || spec.mayAddProtected === true,
  };
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

function checksOf({ facts: { verify }, spec: { verifyCmd } }: PrSubject): string {
  const { baseline, attempts, gate, verdict } = verify;
  // Earlier attempts belong to earlier rounds of the agent; a flaky verdict comes from two.
  const judged = attempts.slice(verdict === "flaky" ? -2 : -1);
  const before = (result: CommandResult) =>
    result === null ? "not run before the change" : `${codeOf(result)} before`;
  const after = (name: "verify" | "gate") => {
    const results = judged.map((attempt) => attempt[name]);
    const codes = results.map((result) => (result === null ? "unknown" : codeOf(result))).join(", then ");
    const last = results.at(-1);
    return codes === "" ? "not run after it" : `${codes} after (${formatDuration(last?.duration_ms ?? 0)})`;
  };
  const section = (title: string, states: string, cmd: string) =>
    `${title}: ${states}\n\n${fenced(cmd, COMMAND_BYTES_MAX, "sh")}`;
  return [
    verifyCmd === null ? "" : section("Test command", `${before(baseline)}, ${after("verify")}`, verifyCmd),
    gate === null ? "" : section("Gate", `${before(gate.baseline)}, ${after("gate")}`, gate.cmd),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function codeOf({ exit_code }: NonNullable<CommandResult>): string {
  return exit_code === null ? "stopped by a signal or a limit" : `exit code ${exit_code}`;
}

/** `0.8 s`, `42 s`, `3 min 20 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function footerOf({ id, facts }: PrSubject, publicUrl: string | undefined): string {
  const agents = (facts.agents ?? []).map(agentName);
  return [
    agents.length === 0 ? "" : `${agents.length === 1 ? "Agent" : "Agents"}: ${agents.join(", ")}`,
    publicUrl === undefined ? "" : `Run: ${publicUrl.replace(/\/$/, "")}/runs/${id}`,
  ]
    .filter(Boolean)
    .join("\\\n");
}

function agentName({ role, cli, model }: RunAgent): string {
  const code = (text: string) => `\`${text.replaceAll(/[`\p{Cc}]/gu, "")}\``;
  return `${code(cli)}${model === null ? "" : ` with ${code(model)}`} (${role})`;
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

/** The fence is longer than any run of back-ticks in the text. Its bytes count towards the limit, as back-ticks would double them. */
function fenced(text: string, bytesMax: number, language = "text"): string {
  let content = cutBytes(text, bytesMax);
  let fence = fenceOf(content);
  if (Buffer.byteLength(content) + 2 * fence.length > bytesMax) {
    content = cutBytes(text, Math.floor(bytesMax / 3));
    fence = fenceOf(content);
  }
  return `${fence}${language}\n${content}\n${fence}`;
}

function fenceOf(text: string): string {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  return "`".repeat(longest + 1);
}

function cutBytes(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  const note = "\n[shortened]";
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax - note.length));
  return text.slice(0, read) + note;
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

function sizeOf({ files, insertions, deletions }: NonNullable<RunRecord["facts"]["diff"]>): string {
  const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
  return `${count(files, "file")}, ${count(insertions, "line")} added, ${deletions} removed.`;
}
