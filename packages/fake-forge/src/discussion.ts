/**
 * Checks, reviews and comments of the fake host, shared by its dialects. Times are fixed and increase by one second
 * each.
 */
import { recordOf, type ForgeResponse } from "./github-pulls.ts";

export interface FakeCheck {
  readonly name: string;
  /** Gitea has no state `cancelled`, so there it is shown as pending. */
  readonly state: "pending" | "passed" | "failed" | "cancelled";
  readonly log?: string;
  /** GitHub: a commit status instead of a check run. The other dialects have one kind only. */
  readonly isStatus?: boolean;
}

export interface FakeReview {
  readonly number: number;
  readonly author: string;
  /** Whether the author may write: GitHub `MEMBER`, GitLab 30, Gitea `write`. Default true. */
  readonly canWrite?: boolean;
  /** If absent, the review is a comment on a line. */
  readonly verdict?: "approved" | "changes_requested";
  readonly path?: string;
  readonly line?: number;
  readonly text: string;
}

export interface StoredReview extends FakeReview {
  readonly id: number;
  readonly at: string;
}

export interface FakeComment {
  readonly id: number;
  readonly number: number;
  readonly body: string;
  /** Written by another user, so it cannot be edited. */
  readonly isForeign?: boolean;
}

export interface Discussion {
  readonly checksOf: (sha: string) => readonly (FakeCheck & { readonly id: number })[];
  /** Returns the checks of a new commit, like a CI that starts automatically. */
  onNewCommit: (sha: string) => readonly FakeCheck[];
  setChecks(sha: string, checks: readonly FakeCheck[]): void;
  readonly checkOf: (id: number) => FakeCheck | undefined;
  readonly reviews: readonly StoredReview[];
  addReview(review: FakeReview): void;
  readonly comments: readonly FakeComment[];
  addComment(number: number, input: unknown): FakeComment;
  addForeignComment(number: number, body: string): void;
  /** Returns the response to an edit; 404 if the comment does not exist. */
  editComment(id: number, input: unknown): ForgeResponse;
  /** Required checks of the base branch; null if it is not protected. */
  required: readonly string[] | null;
}

const NOT_FOUND: ForgeResponse = { status: 404, body: { message: "Not Found" } };
export const FORBIDDEN: ForgeResponse = { status: 403, body: { message: "Resource not accessible" } };
const START_MS = Date.parse("2026-01-01T00:00:00Z");

export function createDiscussion(): Discussion {
  const checks = new Map<string, readonly (FakeCheck & { readonly id: number })[]>();
  const reviews: StoredReview[] = [];
  const comments: FakeComment[] = [];
  let lastId = 1_000;

  const self: Discussion = {
    required: null,
    onNewCommit: () => [],
    reviews,
    comments,
    checksOf(sha) {
      const started = checks.has(sha) ? [] : self.onNewCommit(sha);
      if (started.length > 0) self.setChecks(sha, started);
      return checks.get(sha) ?? [];
    },
    setChecks(sha, set) {
      const before = checks.get(sha) ?? [];
      const idOf = (name: string) => before.find((check) => check.name === name)?.id ?? ++lastId;
      checks.set(
        sha,
        set.map((check) => ({ ...check, id: idOf(check.name) })),
      );
    },
    checkOf: (id) => [...checks.values()].flat().find((check) => check.id === id),
    addReview(review) {
      const id = ++lastId;
      reviews.push({ ...review, id, at: new Date(START_MS + id * 1000).toISOString() });
    },
    addComment(number, input) {
      const comment = { id: ++lastId, number, body: String(recordOf(input)["body"]) };
      comments.push(comment);
      return comment;
    },
    addForeignComment(number, body) {
      comments.push({ id: ++lastId, number, body, isForeign: true });
    },
    editComment(id, input) {
      const index = comments.findIndex((comment) => comment.id === id);
      if (index === -1) return NOT_FOUND;
      if (comments[index]?.isForeign === true) return FORBIDDEN;
      comments[index] = { ...comments[index], body: String(recordOf(input)["body"]) };
      return { status: 200, body: comments[index] };
    },
  };
  return self;
}

/** Returns the part of a list selected by `page` and `per_page` or `limit`. */
export function pageOf<T>(items: readonly T[], query: URLSearchParams): readonly T[] {
  const size = Number(query.get("per_page") ?? query.get("limit") ?? 30);
  const page = Number(query.get("page") ?? 1);
  return items.slice((page - 1) * size, page * size);
}
