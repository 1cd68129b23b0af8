import { toPr } from "./github.ts";
import {
  boundedText,
  checkedSha,
  CHECKS_MAX,
  lineOf,
  newestFirst,
  readPages,
  shortText,
  timeOf,
  upsertCommentAt,
  type Check,
  type PrAccess,
  type PrReader,
  type PrState,
  type ReviewRemark,
  type Reviews,
} from "./pr-reader.ts";
import { flagOf, listOf, membersOf, textOf, type Members } from "./reading.ts";

const PAGE = `per_page=${CHECKS_MAX}`;
const WRITERS: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
const FAILED: ReadonlySet<string> = new Set(["failure", "timed_out"]);
/** A cancelled or stale check, and one that waits for a person, has no result yet. */
const PASSED: ReadonlySet<string> = new Set(["success", "neutral", "skipped"]);
/** Reported by the panel itself. */
const OWN_CHECK = "triptych";

export function githubPrReader({ call, read, readLog, repo }: PrAccess): PrReader {
  const at = `/repos/${repo}`;
  return {
    readPr: (number) => read(`${at}/pulls/${number}`, toPrState),
    readRequired: (branch) => read(`${at}/branches/${encodeURIComponent(branch)}`, requiredOf),
    checkSources: [
      (sha) => read(`${at}/commits/${sha}/check-runs?${PAGE}`, (body) => checkRunsOf(body, at)),
      (sha) => read(`${at}/commits/${sha}/status?${PAGE}`, statusesOf),
    ],
    async readCheckLog({ logPath, summary }) {
      const log = logPath === null ? null : await readLog(logPath);
      return log === null || log === "" ? summary : log;
    },
    async readReviews(number) {
      const list = `${at}/pulls/${number}/reviews?${PAGE}`;
      const reviews = reviewsOf(await readPages(read, { list, size: CHECKS_MAX }, reviewPageOf));
      const newest = `${PAGE}&sort=created&direction=desc`;
      const remarks = await read(`${at}/pulls/${number}/comments?${newest}`, remarksOf);
      return { state: reviews.state, remarks: newestFirst([...reviews.remarks, ...remarks]) };
    },
    reviewRequestsMax: 2,
    upsertComment: (number, comment) => {
      const one = (id: string) => `${at}/issues/comments/${id}`;
      return upsertCommentAt(call, { list: `${at}/issues/${number}/comments`, one, method: "PATCH" }, comment);
    },
  };
}

export function toPrState(body: unknown): PrState {
  const pull = membersOf(body);
  const { state, draft, url } = toPr(pull);
  return {
    state,
    draft,
    url,
    headSha: checkedSha(membersOf(pull["head"])["sha"]),
    baseBranch: textOf(membersOf(pull["base"])["ref"]),
    labels: labelsOf(pull["labels"]),
    mergeable: flagOf(pull["mergeable"]),
    updatedAt: shortText(pull["updated_at"]),
  };
}

export function labelsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, CHECKS_MAX)
    .map((label) => (typeof label === "string" ? label : textOf(membersOf(label)["name"])));
}

function requiredOf(body: unknown): readonly string[] | null {
  const rules = membersOf(membersOf(membersOf(body)["protection"])["required_status_checks"]);
  const contexts: unknown[] = Array.isArray(rules["contexts"]) ? rules["contexts"] : [];
  const isEnforced = rules["enforcement_level"] !== "off";
  return isEnforced && contexts.length > 0 ? contexts.slice(0, CHECKS_MAX).map(shortText) : null;
}

function checkRunsOf(body: unknown, at: string): readonly Check[] {
  const runs = listOf(membersOf(body)["check_runs"]).slice(0, CHECKS_MAX);
  return runs.flatMap((run) => {
    const name = shortText(run["name"]);
    if (name === OWN_CHECK) return [];
    const output = membersOf(run["output"]);
    const summary = boundedText([output["title"], output["summary"], output["text"]].map(textOf).join("\n").trim());
    // The check run of a job of GitHub Actions has the job's ID.
    const isAction = membersOf(run["app"])["slug"] === "github-actions";
    const id = lineOf(run["id"]);
    const logPath = isAction && id !== null ? `${at}/actions/jobs/${id}/logs` : null;
    return [{ name, state: runStateOf(run), logPath, summary }];
  });
}

function runStateOf({ status, conclusion }: Members): Check["state"] {
  if (status !== "completed") return "pending";
  if (FAILED.has(textOf(conclusion))) return "failed";
  return PASSED.has(textOf(conclusion)) ? "passed" : "pending";
}

/** Reads statuses of GitHub, and of Gitea, whose entries have `status` instead of `state`. */
export function statusesOf(body: unknown): readonly Check[] {
  return listOf(membersOf(body)["statuses"])
    .slice(0, CHECKS_MAX)
    .map((status) => {
      const state = textOf(status["state"] ?? status["status"]);
      const isFailed = state === "failure" || state === "error";
      const about = [status["description"], status["target_url"]].map(textOf).filter(Boolean).join("\n");
      return {
        name: shortText(status["context"]),
        state: state === "pending" ? "pending" : isFailed ? "failed" : "passed",
        logPath: null,
        summary: boundedText(about),
      };
    });
}

function canWrite({ author_association: association }: Members): boolean {
  return WRITERS.has(textOf(association));
}

interface ReviewPage {
  /** Reviews that approve or request changes, oldest first. */
  readonly verdicts: readonly { readonly author: string; readonly state: string }[];
  readonly remarks: readonly ReviewRemark[];
}

function reviewPageOf(body: unknown): ReviewPage {
  const all = listOf(body).filter(canWrite);
  const verdicts = all
    .map((review) => ({ author: loginOf(review), state: textOf(review["state"]) }))
    .filter(({ state }) => ["APPROVED", "CHANGES_REQUESTED", "DISMISSED"].includes(state));
  const requested = all.filter(({ state }) => state === "CHANGES_REQUESTED");
  return { verdicts, remarks: newestFirst(requested.map((review) => remarkOf(review, review["submitted_at"]))) };
}

function reviewsOf(pages: readonly ReviewPage[]): Reviews {
  const last = new Map(pages.flatMap(({ verdicts }) => verdicts).map(({ author, state }) => [author, state]));
  const states = [...last.values()];
  return {
    state: states.includes("CHANGES_REQUESTED")
      ? "changes_requested"
      : states.includes("APPROVED")
        ? "approved"
        : "none",
    remarks: newestFirst(pages.flatMap(({ remarks }) => remarks)),
  };
}

function remarksOf(body: unknown): readonly ReviewRemark[] {
  return newestFirst(
    listOf(body)
      .filter(canWrite)
      .map((comment) => remarkOf(comment, comment["created_at"])),
  );
}

function remarkOf(remark: Members, at: unknown): ReviewRemark {
  const path = remark["path"];
  return {
    at: timeOf(at),
    author: loginOf(remark),
    path: typeof path === "string" ? shortText(path) : null,
    line: lineOf(remark["line"] ?? remark["original_line"]),
    text: boundedText(remark["body"]),
  };
}

export function loginOf({ user }: Members): string {
  return shortText(membersOf(user)["login"]);
}
