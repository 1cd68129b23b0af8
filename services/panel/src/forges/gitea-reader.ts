import { loginOf, statusesOf, toPrState } from "./github-reader.ts";
import {
  boundedText,
  CHECKS_MAX,
  lineOf,
  newestFirst,
  readPages,
  shortText,
  timeOf,
  upsertCommentAt,
  type ConditionalRead,
  type PrAccess,
  type PrReader,
  type ReviewRemark,
  type Reviews,
} from "./pr-reader.ts";
import { ForgeError } from "./forge.ts";
import { listOf, membersOf, textOf } from "./reading.ts";

/** Most servers return at most this many entries. */
const PAGE_SIZE = 50;
const PAGE = `limit=${PAGE_SIZE}`;
/** Reading one takes two requests. */
const REVIEWS_MAX = 4;

export function giteaPrReader({ call, read, repo }: PrAccess): PrReader {
  const at = `/repos/${repo}`;
  return {
    async readPr(number) {
      const pr = await read(`${at}/pulls/${number}`, toPrState);
      // A draft is never mergeable there, with or without conflicts.
      return pr.draft && pr.mergeable === false ? { ...pr, mergeable: null } : pr;
    },
    readRequired: (branch) => read(`${at}/branches/${encodeURIComponent(branch)}`, requiredOf),
    checkSources: [(sha) => read(`${at}/commits/${sha}/status?${PAGE}`, statusesOf)],
    // Statuses have a link to a page, but no log.
    readCheckLog: async ({ summary }) => summary,
    readReviews: (number) => readReviews(read, at, number),
    reviewRequestsMax: 1 + 2 * REVIEWS_MAX,
    upsertComment: (number, comment) => {
      const one = (id: string) => `${at}/issues/comments/${id}`;
      return upsertCommentAt(call, { list: `${at}/issues/${number}/comments`, one, method: "PATCH" }, comment);
    },
  };
}

function requiredOf(body: unknown): readonly string[] | null {
  const { enable_status_check: isEnforced, status_check_contexts: contexts } = membersOf(body);
  if (isEnforced !== true || !Array.isArray(contexts) || contexts.length === 0) return null;
  return contexts.slice(0, CHECKS_MAX).map(shortText);
}

interface GiteaReview {
  readonly id: number;
  readonly login: string;
  readonly state: string;
  readonly at: number;
  readonly text: string;
}

async function readReviews(read: ConditionalRead, at: string, number: number): Promise<Reviews> {
  const list = `${at}/pulls/${number}/reviews?${PAGE}`;
  const pages = await readPages(read, { list, size: PAGE_SIZE }, newestReviewsOf);
  const newest = newestReviews(pages.flat());
  const remarks: ReviewRemark[] = [];
  const states: string[] = [];
  const decided = new Set<string>();
  for (const review of newest) {
    const { id, login, state, text } = review;
    if (!(await mayWrite(read, at, login))) continue;
    const isVerdict = state === "APPROVED" || state === "REQUEST_CHANGES";
    if (isVerdict && !decided.has(login)) {
      decided.add(login);
      states.push(state);
    }
    if (state === "REQUEST_CHANGES") remarks.push({ at: review.at, author: login, path: null, line: null, text });
    remarks.push(...(await read(`${at}/pulls/${number}/reviews/${id}/comments`, remarksOf)));
  }
  const isRequested = states.includes("REQUEST_CHANGES");
  const state = isRequested ? "changes_requested" : states.includes("APPROVED") ? "approved" : "none";
  return { state, remarks: newestFirst(remarks) };
}

/** If the credential cannot read permissions, comments have no effect. */
async function mayWrite(read: ConditionalRead, at: string, login: string): Promise<boolean> {
  const path = `${at}/collaborators/${encodeURIComponent(login)}/permission`;
  const permission = await read(path, (body) => textOf(membersOf(body)["permission"])).catch((error: unknown) => {
    if (error instanceof ForgeError && (error.status === 403 || error.status === 404)) return "none";
    throw error;
  });
  return ["owner", "admin", "write"].includes(permission);
}

function newestReviewsOf(body: unknown): readonly GiteaReview[] {
  const reviews = listOf(body).filter(({ dismissed }) => dismissed !== true);
  return newestReviews(
    reviews.map((review) => ({
      id: lineOf(review["id"]) ?? 0,
      login: loginOf(review),
      state: textOf(review["state"]),
      at: timeOf(review["submitted_at"]),
      text: boundedText(review["body"]),
    })),
  );
}

function newestReviews(reviews: readonly GiteaReview[]): readonly GiteaReview[] {
  return reviews.toSorted((a, b) => b.at - a.at).slice(0, REVIEWS_MAX);
}

function remarksOf(body: unknown): readonly ReviewRemark[] {
  return newestFirst(
    listOf(body).map((comment) => ({
      at: timeOf(comment["created_at"]),
      author: loginOf(comment),
      path: typeof comment["path"] === "string" ? shortText(comment["path"]) : null,
      line: lineOf(comment["position"] ?? comment["original_position"]),
      text: boundedText(comment["body"]),
    })),
  );
}
