/** Statuses, reviews, permissions and comments in the API of Gitea and Forgejo. */
import { pageOf, type Discussion } from "./discussion.ts";
import { answerCommon, answerGitHub, type DiscussionRequest } from "./github-discussion.ts";
import type { ForgeResponse } from "./github-pulls.ts";

const ok = (body: unknown): ForgeResponse => ({ status: 200, body });
const VERDICTS = { approved: "APPROVED", changes_requested: "REQUEST_CHANGES" } as const;

/** Null where the path is not part of it. */
export function answerGitea(discussion: Discussion, request: DiscussionRequest): ForgeResponse | null {
  const { method, path, query } = request;
  if (method !== "GET") return answerCommon(discussion, request, () => true);
  if (path.startsWith("/branches/")) return answerGitHub(discussion, request);
  const author = /^\/collaborators\/([^/]+)\/permission$/.exec(path)?.[1];
  if (author !== undefined) return ok({ permission: canWrite(discussion, author) ? "write" : "read" });
  const [, number, , id] = /^\/pulls\/(\d+)\/reviews(\/(\d+)\/comments)?$/.exec(path) ?? [];
  if (number === undefined) return answerCommon(discussion, request, () => true);
  const own = discussion.reviews.filter((review) => review.number === Number(number));
  if (id !== undefined) return ok(own.filter((one) => one.id === Number(id) && one.path !== undefined).map(toComment));
  return ok(pageOf(own.map(toReview), query));
}

function canWrite({ reviews }: Discussion, author: string): boolean {
  return reviews.some((review) => review.author === author && review.canWrite !== false);
}

type Review = Discussion["reviews"][number];

function toReview({ id, author, verdict, text, at }: Review): object {
  const state = verdict === undefined ? "COMMENT" : VERDICTS[verdict];
  return { id, user: { login: author }, state, body: text, submitted_at: at, dismissed: false };
}

function toComment({ id, author, path, line = 1, text, at }: Review): object {
  return { id, user: { login: author }, path, position: line, body: text, created_at: at };
}
