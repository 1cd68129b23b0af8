/**
 * Complete GitHub responses for pull requests, with every member that the published schema requires. Unused members are
 * derived from names, so they are deterministic.
 */
import type { PullRequest } from "./github-pulls.ts";

export interface RepositoryInfo {
  readonly url: string;
  readonly owner: string;
  readonly name: string;
}

export const MADE_AT = "2026-01-01T00:00:00Z";

export function pullOf(pull: PullRequest, repository: RepositoryInfo): object {
  return {
    ...simplePullOf(pull, repository),
    merged: pull.merged,
    mergeable: pull.state === "open" ? pull.mergeable : null,
    mergeable_state: pull.state !== "open" ? "unknown" : pull.mergeable === false ? "dirty" : "clean",
    merged_by: pull.merged ? userOf(repository.owner, repository) : null,
    maintainer_can_modify: false,
    comments: 0,
    review_comments: 0,
    commits: 1,
    additions: 1,
    deletions: 1,
    changed_files: 1,
  };
}

export function simplePullOf(pull: PullRequest, repository: RepositoryInfo): object {
  const { number, html_url, title, body, draft, state, merged, head, base } = pull;
  const api = apiOf(repository);
  const [at, issue] = [`${api}/pulls/${number}`, `${api}/issues/${number}`];
  const closedAt = state === "closed" ? MADE_AT : null;
  const [user, repo] = [userOf(repository.owner, repository), repositoryOf(repository)];
  const addresses = {
    url: at,
    html_url,
    diff_url: `${html_url}.diff`,
    patch_url: `${html_url}.patch`,
    issue_url: issue,
    commits_url: `${at}/commits`,
    review_comments_url: `${at}/comments`,
    review_comment_url: `${api}/pulls/comments{/number}`,
    comments_url: `${issue}/comments`,
    statuses_url: `${api}/statuses/${head.sha}`,
  };
  return {
    id: number,
    node_id: `PR_${number}`,
    number,
    state,
    locked: false,
    title,
    body,
    draft,
    user,
    ...addresses,
    labels: pull.labels.map((name) => labelOf(String(name), repository)),
    requested_reviewers: pull.requested_reviewers.map((login) => userOf(String(login), repository)),
    requested_teams: [],
    assignee: null,
    assignees: pull.assignees.map((login) => userOf(String(login), repository)),
    milestone: null,
    created_at: MADE_AT,
    updated_at: pull.updated_at,
    closed_at: closedAt,
    merged_at: merged ? MADE_AT : null,
    merge_commit_sha: merged ? head.sha : null,
    head: { ...head, user, repo },
    base: { ...base, label: `${repository.owner}:${base.ref}`, user, repo },
    author_association: "OWNER",
    auto_merge: null,
    _links: {
      self: { href: at },
      html: { href: html_url },
      issue: { href: issue },
      comments: { href: addresses.comments_url },
      review_comments: { href: addresses.review_comments_url },
      review_comment: { href: addresses.review_comment_url },
      commits: { href: addresses.commits_url },
      statuses: { href: addresses.statuses_url },
    },
  };
}

export function apiOf({ url, owner, name }: RepositoryInfo): string {
  return `${url}/api/v3/repos/${owner}/${name}`;
}

export function labelOf(name: string, repository: RepositoryInfo): object {
  const url = `${apiOf(repository)}/labels/${encodeURIComponent(name)}`;
  return { id: 1, node_id: "LA_1", url, name, description: "", color: "ededed", default: false };
}

const OF_A_USER = ["followers", "subscriptions", "organizations", "repos", "received_events"];

export function userOf(login: string, { url }: RepositoryInfo): object {
  const at = `${url}/api/v3/users/${login}`;
  return {
    login,
    id: 1,
    node_id: "U_1",
    type: "User",
    site_admin: false,
    gravatar_id: "",
    avatar_url: `${url}/avatars/${login}`,
    html_url: `${url}/${login}`,
    url: at,
    ...Object.fromEntries(OF_A_USER.map((what) => [`${what}_url`, `${at}/${what}`])),
    following_url: `${at}/following{/other_user}`,
    gists_url: `${at}/gists{/gist_id}`,
    starred_url: `${at}/starred{/owner}{/repo}`,
    events_url: `${at}/events{/privacy}`,
  };
}

const PLAIN =
  "contributors deployments downloads events forks hooks languages merges stargazers subscribers subscription tags teams";
const WITH_PART = `archive assignees blobs branches collaborators comments commits compare contents git_commits git_refs git_tags
  issue_comment issue_events issues keys labels milestones notifications pulls releases statuses trees`;
const NUMBERS = `forks forks_count network_count open_issues open_issues_count size stargazers_count subscribers_count watchers
  watchers_count`;
const FLAGS = "archived disabled fork has_discussions has_downloads has_pages has_projects has_wiki private";

export function repositoryOf(repository: RepositoryInfo): object {
  const { url, owner, name } = repository;
  const [at, web] = [apiOf(repository), `${url}/${owner}/${name}`];
  const each = (names: string, of: (name: string) => readonly [string, unknown]) =>
    Object.fromEntries(names.split(/\s+/).map(of));
  return {
    id: 1,
    node_id: "R_1",
    name,
    full_name: `${owner}/${name}`,
    owner: userOf(owner, repository),
    description: null,
    homepage: null,
    language: null,
    license: null,
    default_branch: "main",
    visibility: "public",
    has_issues: true,
    permissions: { admin: false, maintain: false, push: true, triage: true, pull: true },
    url: at,
    html_url: web,
    clone_url: `${web}.git`,
    git_url: `git:${new URL(url).host}/${owner}/${name}.git`,
    ssh_url: `git@${new URL(url).hostname}:${owner}/${name}.git`,
    svn_url: web,
    mirror_url: null,
    created_at: MADE_AT,
    updated_at: MADE_AT,
    pushed_at: MADE_AT,
    ...each(PLAIN, (what) => [`${what}_url`, `${at}/${what}`]),
    ...each(WITH_PART, (what) => [`${what}_url`, `${at}/${what.replace("_", "/")}{/part}`]),
    ...each(NUMBERS, (what) => [what, 0]),
    ...each(FLAGS, (what) => [what, false]),
  };
}
