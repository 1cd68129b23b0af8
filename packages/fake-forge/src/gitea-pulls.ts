/**
 * Pull requests in the API of Gitea and Forgejo, which has no list by head, marks drafts in the title, and returns 409
 * for duplicates.
 */
import type { Discussion } from "./discussion.ts";
import { answerGitea } from "./gitea-discussion.ts";
import { recordOf, type ForgeResponse, type GitHubPulls, type PullRequest } from "./github-pulls.ts";
import type { DialectHandler } from "./gitlab-pulls.ts";

const LABELS = [{ id: 7, name: "maintenance" }];

export function asGitea(pulls: GitHubPulls, discussion: Discussion, owner: string): DialectHandler {
  return {
    /** `path` is the part after `/api/v1/repos/{owner}/{name}`. */
    handle(method, path, { query, body }) {
      const discussed = answerGitea(discussion, { method, path, query, body });
      if (discussed !== null) return discussed;
      if (path === "/labels" && method === "GET") return { status: 200, body: LABELS };
      if (path === "/pulls" && method === "GET") return { status: 200, body: listed(query) };
      if (path === "/pulls" && method === "POST") return create(recordOf(body));
      const issue = /^\/issues\/\d+$/.test(path) && method === "PATCH";
      if (issue) return translated(pulls.handle("POST", `${path}/assignees`, { query, body }));
      return translated(pulls.handle(method, path, { query, body }));
    },
  };

  function listed(query: URLSearchParams): readonly object[] {
    const [page, limit] = [Number(query.get("page") ?? 1), Number(query.get("limit") ?? 30)];
    const state = query.get("state") ?? "open";
    const fits = pulls.all.filter((pull) => state === "all" || pull.state === state).toReversed();
    return fits.slice((page - 1) * limit, page * limit).map(toPull);
  }

  function create(input: Readonly<Record<string, unknown>>): ForgeResponse {
    const { title, head, base, body } = input;
    const draft = typeof title === "string" && /^(?:WIP:|\[WIP\])/.test(title);
    const sent = { title, head: `${owner}:${String(head)}`, base, body, draft };
    const answer = pulls.handle("POST", "/pulls", { query: new URLSearchParams(), body: sent });
    if (answer.status !== 422) return translated(answer);
    const exists = JSON.stringify(answer.body).includes("already exists");
    return {
      status: exists ? 409 : 404,
      body: { message: exists ? "pull request already exists for these targets" : "" },
    };
  }

  function translated({ status, body }: ForgeResponse): ForgeResponse {
    const pull = pulls.all.find(({ number }) => number === recordOf(body)["number"]);
    return pull === undefined ? { status, body } : { status, body: toPull(pull) };
  }
}

function toPull(pull: PullRequest) {
  return {
    ...pull,
    labels: pull.labels.map((name) => ({ id: 7, name })),
    head: { ref: pull.head.ref, sha: pull.head.sha, label: pull.head.ref, repo_id: 1 },
    base: { ref: pull.base.ref, sha: pull.base.sha, label: pull.base.ref, repo_id: 1 },
  };
}
