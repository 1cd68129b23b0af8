import {
  boundedText,
  checkedSha,
  CHECKS_MAX,
  lineOf,
  newestFirst,
  shortText,
  timeOf,
  upsertCommentAt,
  type Check,
  type PrAccess,
  type PrReader,
  type PrState,
} from "./pr-reader.ts";
import { COMMENT_PREFIX } from "../domain/follow-up-comment.ts";
import { labelsOf } from "./github-reader.ts";
import { toPr } from "./gitlab.ts";
import { listOf, membersOf, textOf, type Members } from "./reading.ts";

const PAGE = `per_page=${CHECKS_MAX}`;
const DEVELOPER = 30;

export function gitlabPrReader({ call, read, readLog, repo }: PrAccess): PrReader {
  const at = `/projects/${encodeURIComponent(repo)}`;
  const requests = `${at}/merge_requests`;
  return {
    readPr: (number) => read(`${requests}/${number}`, toPrState),
    // A job that may fail says so itself.
    readRequired: async () => null,
    checkSources: [(sha) => read(`${at}/repository/commits/${sha}/statuses?${PAGE}`, (body) => statusesOf(body, at))],
    async readCheckLog({ logPath, summary }) {
      const log = logPath === null ? null : await readLog(logPath);
      return log === null || log === "" ? summary : log;
    },
    async readReviews(number) {
      const notes = await read(`${requests}/${number}/notes?${PAGE}&sort=desc&order_by=created_at`, notesOf);
      const reviewers = await read(`${requests}/${number}/reviewers`, reviewersOf);
      const members = await read(`${at}/members/all?${PAGE}`, writersOf);
      const writers = new Set(members);
      const states = reviewers.filter(({ id }) => writers.has(id));
      const requesting = new Set(states.filter(({ state }) => state === "requested_changes").map(({ id }) => id));
      const isApproved = states.some(({ state }) => state === "approved");
      // A note on a line is a review comment. A general note counts only if its author is a reviewer who requests changes.
      const valid = notes.filter(
        ({ authorId, path }) => writers.has(authorId) && (path !== null || requesting.has(authorId)),
      );
      return {
        state: requesting.size > 0 ? "changes_requested" : isApproved ? "approved" : "none",
        remarks: newestFirst(
          valid.map(({ at: time, author, path, line, text }) => ({ at: time, author, path, line, text })),
        ),
      };
    },
    reviewRequestsMax: 3,
    upsertComment: (number, comment) => {
      const list = `${requests}/${number}/notes`;
      return upsertCommentAt(call, { list, one: (id) => `${list}/${id}`, method: "PUT" }, comment);
    },
  };
}

function toPrState(body: unknown): PrState {
  const request = membersOf(body);
  const { state, draft, url } = toPr(request);
  const isChecked = !["unchecked", "checking", "preparing"].includes(textOf(request["detailed_merge_status"]));
  return {
    state,
    draft,
    url,
    headSha: checkedSha(request["sha"]),
    baseBranch: textOf(request["target_branch"]),
    labels: labelsOf(request["labels"]),
    mergeable: request["has_conflicts"] === true ? false : isChecked ? true : null,
    updatedAt: shortText(request["updated_at"]),
  };
}

/** All other states have no result yet: the job runs, was cancelled, or waits for a person. */
const STATES: Readonly<Record<string, Check["state"]>> = { success: "passed", skipped: "passed", failed: "failed" };

/** Jobs of pipelines and statuses of external services. */
function statusesOf(body: unknown, at: string): readonly Check[] {
  return listOf(body)
    .slice(0, CHECKS_MAX)
    .filter(({ allow_failure: mayFail }) => mayFail !== true)
    .map((status) => {
      const state = textOf(status["status"]);
      const id = lineOf(status["id"]);
      const about = [status["description"], status["target_url"]].map(textOf).filter(Boolean).join("\n");
      return {
        name: shortText(status["name"]),
        state: STATES[state] ?? "pending",
        logPath: id === null ? null : `${at}/jobs/${id}/trace`,
        summary: boundedText(about),
      };
    });
}

function notesOf(body: unknown) {
  return (
    listOf(body)
      // With a personal token, the panel's own comment has that person as its author.
      .filter(({ system, body }) => system !== true && !textOf(body).startsWith(COMMENT_PREFIX))
      .slice(0, CHECKS_MAX)
      .map((note) => {
        const author = membersOf(note["author"]);
        const position = membersOf(note["position"]);
        const path = position["new_path"];
        return {
          authorId: idOf(author),
          at: timeOf(note["created_at"]),
          author: shortText(author["username"]),
          path: typeof path === "string" ? shortText(path) : null,
          line: lineOf(position["new_line"]),
          text: boundedText(note["body"]),
        };
      })
  );
}

function reviewersOf(body: unknown) {
  return listOf(body)
    .slice(0, CHECKS_MAX)
    .map((reviewer) => ({ id: idOf(membersOf(reviewer["user"])), state: textOf(reviewer["state"]) }));
}

function writersOf(body: unknown): readonly number[] {
  return listOf(body)
    .filter(({ access_level: level }) => typeof level === "number" && level >= DEVELOPER)
    .map(idOf);
}

function idOf({ id }: Members): number {
  return lineOf(id) ?? 0;
}
