/** Complete GitHub responses for checks, reviews and comments, with every member that the published schema requires. */
import type { Discussion, FakeComment, StoredReview } from "./discussion.ts";
import { apiOf, MADE_AT, repositoryOf, userOf, type RepositoryInfo } from "./github-responses.ts";

type StoredCheck = ReturnType<Discussion["checksOf"]>[number];

const CONCLUSIONS = { pending: null, passed: "success", failed: "failure", cancelled: "cancelled" } as const;
export const STATUSES = { pending: "pending", passed: "success", failed: "failure", cancelled: "pending" } as const;

export function checkRunsOf(info: RepositoryInfo, sha: string, checks: readonly StoredCheck[]): object {
  const runs = checks.filter(({ isStatus }) => isStatus !== true);
  return { total_count: runs.length, check_runs: runs.map((check) => checkRunOf(info, sha, check)) };
}

function checkRunOf(info: RepositoryInfo, sha: string, { id, name, state }: StoredCheck): object {
  const at = `${apiOf(info)}/check-runs/${id}`;
  const web = `${webOf(info)}/runs/${id}`;
  const isOver = state !== "pending";
  const output = { title: null, summary: null, text: null, annotations_count: 0, annotations_url: `${at}/annotations` };
  return {
    id,
    node_id: `CR_${id}`,
    name,
    head_sha: sha,
    external_id: "",
    url: at,
    html_url: web,
    details_url: web,
    status: isOver ? "completed" : "in_progress",
    conclusion: CONCLUSIONS[state],
    started_at: MADE_AT,
    completed_at: isOver ? MADE_AT : null,
    output,
    check_suite: { id: 1 },
    app: actionsOf(info),
    pull_requests: [],
  };
}

function actionsOf(info: RepositoryInfo): object {
  return {
    id: 15_368,
    slug: "github-actions",
    node_id: "A_15368",
    owner: userOf("github", info),
    name: "GitHub Actions",
    description: null,
    external_url: info.url,
    html_url: `${info.url}/apps/github-actions`,
    created_at: MADE_AT,
    updated_at: MADE_AT,
    permissions: {},
    events: [],
  };
}

export function combinedStatusOf(info: RepositoryInfo, sha: string, checks: readonly StoredCheck[]): object {
  const at = apiOf(info);
  const states = checks.map(({ state }) => STATUSES[state]);
  const state = states.includes("failure")
    ? "failure"
    : states.every((one) => one === "success")
      ? "success"
      : "pending";
  return {
    sha,
    state: states.length === 0 ? "pending" : state,
    total_count: checks.length,
    statuses: checks.map((check) => statusOf(info, sha, check)),
    repository: repositoryOf(info),
    commit_url: `${at}/commits/${sha}`,
    url: `${at}/commits/${sha}/status`,
  };
}

function statusOf(info: RepositoryInfo, sha: string, { id, name, state, log }: StoredCheck): object {
  return {
    id,
    node_id: `SC_${id}`,
    url: `${apiOf(info)}/statuses/${sha}`,
    avatar_url: null,
    state: STATUSES[state],
    description: log ?? "",
    target_url: `https://ci.example/${id}`,
    context: name,
    created_at: MADE_AT,
    updated_at: MADE_AT,
  };
}

interface BranchInfo {
  readonly name: string;
  readonly sha: string;
  readonly required: readonly string[] | null;
}

export function branchOf(info: RepositoryInfo, { name, sha, required }: BranchInfo): object {
  const at = `${apiOf(info)}/branches/${encodeURIComponent(name)}`;
  const rules = {
    enforcement_level: required === null ? "off" : "non_admins",
    contexts: required ?? [],
    checks: (required ?? []).map((context) => ({ context, app_id: null })),
  };
  return {
    name,
    commit: commitOf(info, sha),
    _links: { html: `${webOf(info)}/tree/${name}`, self: at },
    protected: required !== null,
    protection: { enabled: required !== null, required_status_checks: rules },
    protection_url: `${at}/protection`,
  };
}

function commitOf(info: RepositoryInfo, sha: string): object {
  const [at, web] = [`${apiOf(info)}/commits/${sha}`, `${webOf(info)}/commit/${sha}`];
  const author = { name: info.owner, email: "ada@example.test", date: MADE_AT };
  const tree = { sha, url: `${apiOf(info)}/git/trees/${sha}` };
  return {
    sha,
    node_id: `C_${sha}`,
    url: at,
    html_url: web,
    comments_url: `${at}/comments`,
    commit: { url: at, author, committer: author, message: "First", comment_count: 0, tree },
    author: userOf(info.owner, info),
    committer: userOf(info.owner, info),
    parents: [],
  };
}

function webOf({ url, owner, name }: RepositoryInfo): string {
  return `${url}/${owner}/${name}`;
}

function associationOf({ canWrite = true }: StoredReview): string {
  return canWrite ? "MEMBER" : "NONE";
}

export function reviewOf(info: RepositoryInfo, review: StoredReview): object {
  const { id, number, author, text, at, verdict } = review;
  const html = `${webOf(info)}/pull/${number}#pullrequestreview-${id}`;
  const pull = `${apiOf(info)}/pulls/${number}`;
  return {
    id,
    node_id: `PRR_${id}`,
    user: userOf(author, info),
    body: text,
    state: verdict === "approved" ? "APPROVED" : "CHANGES_REQUESTED",
    html_url: html,
    pull_request_url: pull,
    _links: { html: { href: html }, pull_request: { href: pull } },
    submitted_at: at,
    commit_id: null,
    author_association: associationOf(review),
  };
}

export function reviewCommentOf(info: RepositoryInfo, review: StoredReview): object {
  const { id, number, author, text, at, path = "README.md", line = 1 } = review;
  const self = `${apiOf(info)}/pulls/comments/${id}`;
  const html = `${webOf(info)}/pull/${number}#discussion_r${id}`;
  const pull = `${apiOf(info)}/pulls/${number}`;
  const commit = "0".repeat(40);
  return {
    id,
    node_id: `PRRC_${id}`,
    pull_request_review_id: null,
    url: self,
    html_url: html,
    pull_request_url: pull,
    _links: { self: { href: self }, html: { href: html }, pull_request: { href: pull } },
    diff_hunk: "@@ -1 +1 @@",
    path,
    line,
    original_line: line,
    commit_id: commit,
    original_commit_id: commit,
    user: userOf(author, info),
    body: text,
    created_at: at,
    updated_at: at,
    author_association: associationOf(review),
  };
}

export function commentOf(info: RepositoryInfo, { id, number, body, isForeign }: FakeComment): object {
  return {
    id,
    node_id: `IC_${id}`,
    url: `${apiOf(info)}/issues/comments/${id}`,
    html_url: `${webOf(info)}/pull/${number}#issuecomment-${id}`,
    issue_url: `${apiOf(info)}/issues/${number}`,
    body,
    user: userOf(isForeign === true ? "stranger" : "panel", info),
    created_at: MADE_AT,
    updated_at: MADE_AT,
    author_association: isForeign === true ? "NONE" : "MEMBER",
  };
}
