/** Pull requests as GitLab merge requests, with GitLab's paths, members, state names, and its 409 for duplicates. */
import type { Discussion } from "./discussion.ts";
import { answerGitLab } from "./gitlab-discussion.ts";
import { recordOf, type ForgeResponse, type GitHubPulls, type PullRequest } from "./github-pulls.ts";

export type DialectHandler = Pick<GitHubPulls, "handle">;

const PERMISSIONS = { project_access: { access_level: 40 }, group_access: null };
const WORK_IN_PROGRESS = /^(?:Draft|WIP): /;

export function asGitLab(
  pulls: GitHubPulls,
  discussion: Discussion,
  { owner, name: repository }: { owner: string; name: string },
): DialectHandler {
  return {
    /** `path` is the part after `/api/v4/projects/{id}`. */
    handle(method, path, { query, body }) {
      const discussed = answerGitLab(discussion, { method, path, query, body });
      if (discussed !== null) return discussed;
      if (path === "" && method === "GET") return { status: 200, body: project() };
      if (path === "/merge_requests" && method === "GET") return { status: 200, body: listed(query) };
      if (path === "/merge_requests" && method === "POST") return create(recordOf(body));
      const number = /^\/merge_requests\/(\d+)$/.exec(path)?.[1];
      const at = `/pulls/${number ?? ""}`;
      if (method === "GET") return translated(pulls.handle("GET", at, { query, body: null }));
      const event = recordOf(body)["state_event"];
      const state = event === "reopen" ? "open" : event === "close" ? "closed" : "";
      return method === "PUT" ? translated(pulls.handle("PATCH", at, { query, body: { state } })) : NOT_FOUND;
    },
  };

  function project(): object {
    const named = { name: repository, path: repository, path_with_namespace: `${owner}/${repository}` };
    return { id: 1, ...named, default_branch: "main", permissions: PERMISSIONS };
  }

  function listed(query: URLSearchParams): readonly object[] {
    const branch = query.get("source_branch");
    const fits = pulls.all.filter((pull) => branch === null || pull.head.ref === branch);
    const state = query.get("state") ?? "all";
    return fits
      .map(toMergeRequest)
      .filter((one) => state === "all" || one.state === state)
      .toReversed();
  }

  function create(input: Readonly<Record<string, unknown>>): ForgeResponse {
    const { source_branch: branch, target_branch: base, title, description } = input;
    const draft = typeof title === "string" && WORK_IN_PROGRESS.test(title);
    const sent = { title, head: `${owner}:${String(branch)}`, base, body: description, draft };
    const answer = pulls.handle("POST", "/pulls", { query: new URLSearchParams(), body: sent });
    if (answer.status === 422 && JSON.stringify(answer.body).includes("already exists"))
      return {
        status: 409,
        body: { message: ["Another open merge request already exists for this source branch: !1"] },
      };
    if (answer.status === 422) return { status: 400, body: { message: answer.body } };
    return translated(answer);
  }

  function translated({ status, body }: ForgeResponse): ForgeResponse {
    const pull = pulls.all.find(({ number }) => number === recordOf(body)["number"]);
    return pull === undefined ? { status, body } : { status, body: toMergeRequest(pull) };
  }
}

const NOT_FOUND: ForgeResponse = { status: 404, body: { message: "404 Not found" } };

function toMergeRequest(pull: PullRequest) {
  return {
    iid: pull.number,
    state: pull.merged ? "merged" : pull.state === "open" ? "opened" : "closed",
    draft: pull.draft,
    title: pull.title,
    description: pull.body,
    web_url: pull.html_url,
    source_branch: pull.head.ref,
    target_branch: pull.base.ref,
    source_project_id: 1,
    target_project_id: 1,
    sha: pull.head.sha,
    labels: pull.labels,
    has_conflicts: pull.mergeable === false,
    detailed_merge_status: pull.mergeable === null ? "checking" : pull.mergeable ? "mergeable" : "conflict",
    updated_at: pull.updated_at,
  };
}
