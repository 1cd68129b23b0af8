/** Check runs, statuses, reviews and comments in the API of GitHub; statuses and comments also serve Gitea. */
import { pageOf, type Discussion, type FakeCheck, type StoredReview } from "./discussion.ts";
import type { ForgeResponse } from "./github-pulls.ts";

export interface DiscussionRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

const ok = (body: unknown): ForgeResponse => ({ status: 200, body });

/** Null where the path is not part of it. */
export function answerGitHub(discussion: Discussion, request: DiscussionRequest): ForgeResponse | null {
  const { method, path, query } = request;
  if (method === "GET") {
    const runs = /^\/commits\/([^/]+)\/check-runs$/.exec(path)?.[1];
    if (runs !== undefined) return ok(checkRunsOf(discussion.checksOf(runs)));
    const branch = /^\/branches\/(.+)$/.exec(path)?.[1];
    if (branch !== undefined) return ok(branchOf(branch, discussion.required));
    const [, number, what] = /^\/pulls\/(\d+)\/(reviews|comments)$/.exec(path) ?? [];
    if (what !== undefined) return ok(pageOf(reviewsOf(discussion, Number(number), what, query), query));
  }
  return answerCommon(discussion, request, ({ isStatus }) => isStatus === true);
}

export function answerCommon(
  discussion: Discussion,
  { method, path, query, body }: DiscussionRequest,
  isStatus: (check: FakeCheck) => boolean,
): ForgeResponse | null {
  const status = /^\/commits\/([^/]+)\/status$/.exec(path)?.[1];
  if (method === "GET" && status !== undefined)
    return ok(combinedStatus(status, discussion.checksOf(status).filter(isStatus)));
  const [, number] = /^\/issues\/(\d+)\/comments$/.exec(path) ?? [];
  if (number !== undefined && method === "GET")
    return ok(
      pageOf(
        discussion.comments.filter((one) => one.number === Number(number)),
        query,
      ),
    );
  if (number !== undefined && method === "POST")
    return { status: 201, body: discussion.addComment(Number(number), body) };
  const id = /^\/issues\/comments\/(\d+)$/.exec(path)?.[1];
  if (id === undefined || method !== "PATCH") return null;
  return discussion.editComment(Number(id), body);
}

function checkRunsOf(checks: ReturnType<Discussion["checksOf"]>) {
  const runs = checks
    .filter(({ isStatus }) => isStatus !== true)
    .map(({ id, name, state }) => ({
      id,
      name,
      status: state === "pending" ? "in_progress" : "completed",
      conclusion: CONCLUSIONS[state],
      output: { title: null, summary: null, text: null },
      app: { slug: "github-actions" },
    }));
  return { total_count: runs.length, check_runs: runs };
}

const CONCLUSIONS = { pending: null, passed: "success", failed: "failure", cancelled: "cancelled" } as const;
const STATES = { pending: "pending", passed: "success", failed: "failure", cancelled: "pending" } as const;

function combinedStatus(sha: string, checks: ReturnType<Discussion["checksOf"]>) {
  const statuses = checks.map(({ id, name, state, log }) => {
    const about = { context: name, description: log ?? "", target_url: `https://ci.example/${id}` };
    // GitHub says `state`, Gitea `status`.
    return { id, ...about, state: STATES[state], status: STATES[state] };
  });
  return { sha, total_count: statuses.length, statuses };
}

function branchOf(name: string, required: readonly string[] | null) {
  const rules = { enforcement_level: required === null ? "off" : "non_admins", contexts: required ?? [], checks: [] };
  return {
    name,
    protected: required !== null,
    protection: { enabled: required !== null, required_status_checks: rules },
    enable_status_check: required !== null,
    status_check_contexts: required ?? [],
  };
}

function reviewsOf({ reviews }: Discussion, number: number, what: string, query: URLSearchParams) {
  const own = reviews.filter((review) => review.number === number);
  const isReview = what === "reviews";
  const listed = own.filter(({ verdict }) => (verdict !== undefined) === isReview).map(isReview ? toReview : toComment);
  return query.get("direction") === "desc" ? listed.toReversed() : listed;
}

function common({ id, author, canWrite = true, text }: StoredReview) {
  return { id, user: { login: author }, author_association: canWrite ? "MEMBER" : "NONE", body: text };
}

function toReview(review: StoredReview): object {
  const state = review.verdict === "approved" ? "APPROVED" : "CHANGES_REQUESTED";
  return { ...common(review), state, submitted_at: review.at };
}

function toComment(review: StoredReview): object {
  return { ...common(review), path: review.path ?? "README.md", line: review.line ?? 1, created_at: review.at };
}
