/** What a watcher reads about a pull request, and the comment that it writes. Text is untrusted: bounded here, redacted by the caller. */
import type { ReviewState } from "@triptych/contracts";
import type { SeenSource } from "../domain/follow-ups.ts";
import type { ForgeCall } from "./call.ts";
import { ForgeError } from "./forge.ts";
import { done, errorOf, isDone, listOf, textOf, type Members } from "./reading.ts";
import type { ReadLog } from "./read-log.ts";

export interface PrState {
  readonly state: "open" | "merged" | "closed";
  readonly draft: boolean;
  readonly url: string;
  readonly headSha: string;
  readonly baseBranch: string;
  readonly labels: readonly string[];
  /** Null while the forge computes it. */
  readonly mergeable: boolean | null;
  /** Changes with comments, reviews, labels and pushes. */
  readonly updatedAt: string;
}

export interface Check {
  readonly name: string;
  readonly state: "pending" | "passed" | "failed";
  /** Path of its log in the API; null if there is none. */
  readonly logPath: string | null;
  readonly summary: string;
}

export interface ReviewRemark {
  readonly at: number;
  readonly author: string;
  readonly path: string | null;
  readonly line: number | null;
  readonly text: string;
}

export interface Reviews {
  readonly state: ReviewState;
  /** Remarks of people with write access, newest first. */
  readonly remarks: readonly ReviewRemark[];
}

export interface PrComment {
  readonly marker: string;
  readonly body: string;
  readonly id: string | null;
}

export interface PrReader {
  readPr(number: number): Promise<PrState>;
  /** Names of the required checks; null if the forge does not say. */
  readRequired(branch: string): Promise<readonly string[] | null>;
  /** Independent sources of checks of a commit. */
  readonly checkSources: readonly ((sha: string) => Promise<readonly Check[]>)[];
  /** The last lines of a log. */
  readCheckLog(check: Check): Promise<string>;
  readReviews(number: number): Promise<Reviews>;
  readonly reviewRequestsMax: number;
  /** Edits the comment with the marker, or creates it; returns its id. */
  upsertComment(number: number, comment: PrComment): Promise<string>;
}

/** Reduced responses by path; the caller stores them with the pull request. */
export interface PrMemory {
  readonly find: (path: string) => SeenSource | undefined;
  readonly onRequest: () => void;
  /** Stores the value with secrets redacted, and returns that. */
  readonly keep: <T>(path: string, value: T, etag: string | null) => Promise<T>;
}

/** Reduces a response to what is needed. A stored value that `isFinal` accepts is used without a request. */
export type ConditionalRead = <T>(
  path: string,
  reduce: (body: unknown) => T,
  isFinal?: (value: T) => boolean,
) => Promise<T>;

export interface PrAccess {
  readonly call: ForgeCall;
  readonly read: ConditionalRead;
  readonly readLog: ReadLog;
  readonly repo: string;
}

export function conditionalRead(call: ForgeCall, memory: PrMemory): ConditionalRead {
  return async <T>(path: string, reduce: (body: unknown) => T, isFinal: (value: T) => boolean = () => false) => {
    const stored = memory.find(path);
    // Stored by the code below for the same path.
    const known = stored === undefined ? undefined : { value: stored.value as T, etag: stored.etag };
    if (known !== undefined && isFinal(known.value)) return known.value;
    const answer = await call("GET", path, undefined, known?.etag ?? undefined);
    if (answer.status === 304 && known !== undefined) return known.value;
    return memory.keep(path, reduce(done(answer)), answer.etag ?? null);
  };
}

export const CHECKS_MAX = 100;
export const REMARKS_MAX = 20;
const TEXT_CHARACTERS_MAX = 4_000;
const SHORT_CHARACTERS_MAX = 200;

/** Removes control characters except line ends and tabs. */
export function boundedText(value: unknown, charactersMax = TEXT_CHARACTERS_MAX): string {
  const text = textOf(value).slice(0, charactersMax);
  return text.replaceAll(/[^\P{C}\n\t]/gu, "");
}

export function shortText(value: unknown): string {
  return boundedText(value, SHORT_CHARACTERS_MAX).replaceAll(/\s+/g, " ").trim();
}

export function lineOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

export function timeOf(value: unknown): number {
  const at = Date.parse(textOf(value));
  return Number.isNaN(at) ? 0 : at;
}

export function newestFirst(remarks: readonly ReviewRemark[]): readonly ReviewRemark[] {
  return remarks.toSorted((a, b) => b.at - a.at).slice(0, REMARKS_MAX);
}

export function checkedSha(value: unknown): string {
  const sha = textOf(value);
  if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha)) return sha;
  throw new ForgeError("refused", "The response of the forge has no head commit.", { status: 200, retryAfterS: null });
}

const PAGE = 100;
const PAGES_MAX = 10;

/**
 * All pages of a list that begins with its oldest entry and has no other order. A full page does not grow, so it is read once: a later
 * dismissal of one of its reviews is not seen.
 *
 * @param list with the size of a page in its query.
 */
export async function readPages<T>(
  read: ConditionalRead,
  { list, size }: { readonly list: string; readonly size: number },
  reduce: (body: unknown) => T,
): Promise<readonly T[]> {
  const pages: T[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const { value, isFull } = await read(
      `${list}&page=${page}`,
      (body) => ({ value: reduce(body), isFull: listOf(body).length >= size }),
      (known) => known.isFull,
    );
    pages.push(value);
    if (!isFull) break;
  }
  return pages;
}

interface CommentPaths {
  readonly list: string;
  readonly one: (id: string) => string;
  readonly method: "PATCH" | "PUT";
}

/** The list is read before a comment is created, so that a lost response does not lead to a second one. */
export async function upsertCommentAt(
  call: ForgeCall,
  { list, one, method }: CommentPaths,
  { marker, body, id }: PrComment,
): Promise<string> {
  if (id !== null) {
    const answer = await call(method, one(id), { body });
    if (isDone(answer)) return id;
    // A person deleted the comment: it is created again below.
    if (answer.status !== 404) throw errorOf(answer);
  }
  for (const existing of await findComments(call, list, marker)) {
    const isOwn = await call(method, one(existing), { body }).then(isDone, (error: unknown) => {
      // The comment is by somebody else, who copied the marker.
      if (error instanceof ForgeError && error.status === 403 && error.retryAfterS === null) return false;
      throw error;
    });
    if (isOwn) return existing;
  }
  return idOf(done(await call("POST", list, { body })));
}

/** If there are many copies of the marker, only a few are tried. */
const COPIES_MAX = 3;

async function findComments(call: ForgeCall, list: string, marker: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    // GitHub and GitLab read `per_page`, Gitea `limit`.
    const query = new URLSearchParams({ per_page: String(PAGE), limit: String(PAGE), page: String(page) });
    const comments = listOf(done(await call("GET", `${list}?${query.toString()}`)));
    found.push(...comments.filter(({ body }) => textOf(body).startsWith(marker)).map(idOf));
    if (comments.length === 0 || found.length >= COPIES_MAX) break;
  }
  return found.slice(0, COPIES_MAX);
}

function idOf(comment: unknown): string {
  const id = (comment as Members)["id"];
  if (typeof id === "number" && Number.isSafeInteger(id)) return String(id);
  throw new ForgeError("unknown", "The response of the forge is not a comment.", { status: 200, retryAfterS: null });
}
