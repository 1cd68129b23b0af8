/** Statuses, reviews, permissions and comments in the API of Gitea and Forgejo. */
import { pageOf, type Discussion, type FakeComment } from "./discussion.ts";
import { STATUSES } from "./github-discussion-responses.ts";
import { answerComments, type DiscussionRequest } from "./github-discussion.ts";
import type { ForgeResponse } from "./github-pulls.ts";

const ok = (body: unknown): ForgeResponse => ({ status: 200, body });
const VERDICTS = { approved: "APPROVED", changes_requested: "REQUEST_CHANGES" } as const;

/** Null if the path does not belong to this API. */
export function answerGitea(discussion: Discussion, request: DiscussionRequest): ForgeResponse | null {
  const { method, path, query } = request;
  const answer = answerComments(discussion, request, toIssueComment);
  if (answer !== null || method !== "GET") return answer;
  const branch = /^\/branches\/(.+)$/.exec(path)?.[1];
  if (branch !== undefined) return ok(branchOf(decodeURIComponent(branch), discussion.required));
  const sha = /^\/commits\/([^/]+)\/status$/.exec(path)?.[1];
  if (sha !== undefined) return ok(combinedStatusOf(sha, discussion.checksOf(sha)));
  const author = /^\/collaborators\/([^/]+)\/permission$/.exec(path)?.[1];
  if (author !== undefined) return ok({ permission: canWrite(discussion, author) ? "write" : "read" });
  const [, number, , id] = /^\/pulls\/(\d+)\/reviews(\/(\d+)\/comments)?$/.exec(path) ?? [];
  if (number === undefined) return null;
  const own = discussion.reviews.filter((review) => review.number === Number(number));
  if (id !== undefined) return ok(own.filter((one) => one.id === Number(id) && one.path !== undefined).map(toComment));
  return ok(pageOf(own.map(toReview), query));
}

function canWrite({ reviews }: Discussion, author: string): boolean {
  return reviews.some((review) => review.author === author && review.canWrite !== false);
}

function toIssueComment({ id, body, isForeign }: FakeComment): object {
  return { id, body, user: { login: isForeign === true ? "stranger" : "panel" }, created_at: "2026-01-01T00:00:00Z" };
}

/** Entries have `status` instead of GitHub's `state`. */
function combinedStatusOf(sha: string, checks: ReturnType<Discussion["checksOf"]>): object {
  const statuses = checks.map(({ id, name, state, log }) => {
    const about = { context: name, description: log ?? "", target_url: `https://ci.example/${id}` };
    return { id, ...about, status: STATUSES[state] };
  });
  return { sha, total_count: statuses.length, statuses };
}

function branchOf(name: string, required: readonly string[] | null): object {
  const isEnforced = required !== null;
  return { name, protected: isEnforced, enable_status_check: isEnforced, status_check_contexts: required ?? [] };
}

type Review = Discussion["reviews"][number];

function toReview({ id, author, verdict, text, at }: Review): object {
  const state = verdict === undefined ? "COMMENT" : VERDICTS[verdict];
  return { id, user: { login: author }, state, body: text, submitted_at: at, dismissed: false };
}

function toComment({ id, author, path, line = 1, text, at }: Review): object {
  return { id, user: { login: author }, path, position: line, body: text, created_at: at };
}
