/** Statuses, notes, reviewers and members in the API of GitLab. */
import { pageOf, type Discussion } from "./discussion.ts";
import type { DiscussionRequest } from "./github-discussion.ts";
import type { ForgeResponse } from "./github-pulls.ts";

const ok = (body: unknown): ForgeResponse => ({ status: 200, body });
const STATES = { pending: "running", passed: "success", failed: "failed", cancelled: "canceled" } as const;

/** Null if the path does not belong to this API. */
export function answerGitLab(discussion: Discussion, request: DiscussionRequest): ForgeResponse | null {
  const { method, path, query, body } = request;
  const sha = /^\/repository\/commits\/([^/]+)\/statuses$/.exec(path)?.[1];
  if (sha !== undefined && method === "GET") return ok(pageOf(statusesOf(discussion, sha), query));
  if (path === "/members/all" && method === "GET") return ok(pageOf(membersOf(discussion), query));
  const [, number, what, id] = /^\/merge_requests\/(\d+)\/(notes|reviewers)(?:\/(\d+))?$/.exec(path) ?? [];
  if (what === "reviewers" && method === "GET") return ok(reviewersOf(discussion, Number(number)));
  if (what !== "notes") return null;
  if (method === "POST") return { status: 201, body: discussion.addComment(Number(number), body) };
  if (method === "PUT") return discussion.editComment(Number(id), body);
  return ok(pageOf(notesOf(discussion, Number(number)), query));
}

function statusesOf(discussion: Discussion, sha: string): readonly object[] {
  return discussion.checksOf(sha).map(({ id, name, state, log }) => ({
    id,
    sha,
    name,
    status: STATES[state],
    description: log ?? null,
    target_url: null,
    allow_failure: discussion.required !== null && !discussion.required.includes(name),
  }));
}

/** Derives a stable numeric ID from a name. */
function userIdOf(name: string): number {
  return Array.from(name).reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) ?? 0), 7) % 1_000_000;
}

function membersOf({ reviews }: Discussion): readonly object[] {
  const names = new Map(reviews.map(({ author, canWrite = true }) => [author, canWrite]));
  return [...names].map(([username, canWrite]) => ({
    id: userIdOf(username),
    username,
    access_level: canWrite ? 30 : 20,
  }));
}

function reviewersOf({ reviews }: Discussion, number: number): readonly object[] {
  const last = new Map(
    reviews.filter((one) => one.number === number && one.verdict !== undefined).map((one) => [one.author, one.verdict]),
  );
  return [...last].map(([username, verdict]) => ({
    user: { id: userIdOf(username), username },
    state: verdict === "approved" ? "approved" : "requested_changes",
  }));
}

function notesOf({ reviews, comments }: Discussion, number: number): readonly object[] {
  const written = comments
    .filter((comment) => comment.number === number)
    .map(({ id, body }) => ({
      id,
      body,
      system: false,
      author: { id: userIdOf("panel"), username: "panel" },
      created_at: "2026-01-01T00:00:00Z",
    }));
  const notes = reviews
    .filter((review) => review.number === number)
    .map(({ id, author, text, at, path, line = 1 }) => ({
      id,
      body: text,
      system: false,
      author: { id: userIdOf(author), username: author },
      created_at: at,
      ...(path !== undefined && { position: { new_path: path, new_line: line } }),
    }));
  return [...written, ...notes].toSorted((a, b) => b.id - a.id);
}
