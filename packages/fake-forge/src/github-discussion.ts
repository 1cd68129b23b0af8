/** Check runs, statuses, reviews and comments in the API of GitHub. */
import { pageOf, type Discussion, type FakeComment } from "./discussion.ts";
import {
  branchOf,
  checkRunsOf,
  combinedStatusOf,
  commentOf,
  reviewCommentOf,
  reviewOf,
} from "./github-discussion-responses.ts";
import type { ForgeResponse } from "./github-pulls.ts";
import type { RepositoryInfo } from "./github-responses.ts";

export interface DiscussionRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

interface GitHubParts {
  readonly discussion: Discussion;
  readonly repository: RepositoryInfo;
  readonly shaOf: (branch: string) => string;
}

const ok = (body: unknown): ForgeResponse => ({ status: 200, body });

/** Null if the path does not belong to this API. */
export function answerGitHub(parts: GitHubParts, request: DiscussionRequest): ForgeResponse | null {
  const { discussion, repository } = parts;
  const { method, path, query } = request;
  const answer = answerComments(discussion, request, (comment) => commentOf(repository, comment));
  if (answer !== null || method !== "GET") return answer;
  const runs = /^\/commits\/([^/]+)\/check-runs$/.exec(path)?.[1];
  if (runs !== undefined) return ok(checkRunsOf(repository, runs, discussion.checksOf(runs)));
  const status = /^\/commits\/([^/]+)\/status$/.exec(path)?.[1];
  if (status !== undefined) {
    const statuses = discussion.checksOf(status).filter(({ isStatus }) => isStatus === true);
    return ok(combinedStatusOf(repository, status, statuses));
  }
  const branch = /^\/branches\/(.+)$/.exec(path)?.[1];
  if (branch !== undefined) {
    const name = decodeURIComponent(branch);
    return ok(branchOf(repository, { name, sha: parts.shaOf(name), required: discussion.required }));
  }
  const [, number, what] = /^\/pulls\/(\d+)\/(reviews|comments)$/.exec(path) ?? [];
  return what === undefined ? null : ok(pageOf(reviewsOf(parts, Number(number), { what, query }), query));
}

function reviewsOf(
  { discussion, repository }: GitHubParts,
  number: number,
  { what, query }: { readonly what: string; readonly query: URLSearchParams },
): readonly object[] {
  const own = discussion.reviews.filter((review) => review.number === number);
  const isReview = what === "reviews";
  const listed = own
    .filter(({ verdict }) => (verdict !== undefined) === isReview)
    .map((review) => (isReview ? reviewOf(repository, review) : reviewCommentOf(repository, review)));
  return query.get("direction") === "desc" ? listed.toReversed() : listed;
}

/** Comments of issues and pull requests. Gitea has the same paths. */
export function answerComments(
  discussion: Discussion,
  { method, path, query, body }: DiscussionRequest,
  shape: (comment: FakeComment) => object,
): ForgeResponse | null {
  const number = /^\/issues\/(\d+)\/comments$/.exec(path)?.[1];
  if (number !== undefined && method === "GET") {
    const own = discussion.comments.filter((one) => one.number === Number(number));
    return ok(pageOf(own, query).map(shape));
  }
  if (number !== undefined && method === "POST")
    return { status: 201, body: shape(discussion.addComment(Number(number), body)) };
  const id = /^\/issues\/comments\/(\d+)$/.exec(path)?.[1];
  if (id === undefined || method !== "PATCH") return null;
  const answer = discussion.editComment(Number(id), body);
  const edited = discussion.comments.find((one) => one.id === Number(id));
  return answer.status === 200 && edited !== undefined ? ok(shape(edited)) : answer;
}
