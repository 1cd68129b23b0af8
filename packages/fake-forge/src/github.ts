/** GitHub's API: pull requests with their checks, reviews and comments. */
import type { Discussion } from "./discussion.ts";
import { answerGitHub } from "./github-discussion.ts";
import { recordOf, type ForgeResponse, type GitHubPulls } from "./github-pulls.ts";
import { labelOf, pullOf, repositoryOf, simplePullOf, type RepositoryInfo } from "./github-responses.ts";
import type { DialectHandler } from "./gitlab-pulls.ts";

const DOCUMENTATION = "https://docs.github.com/rest";
export function asGitHub(pulls: GitHubPulls, discussion: Discussion, repository: RepositoryInfo): DialectHandler {
  const parts = { discussion, repository, shaOf };
  return {
    handle(method, path, sent) {
      const discussed = answerGitHub(parts, { method, path, ...sent });
      if (discussed !== null) return discussed;
      const answer = pulls.handle(method, path, sent);
      if (answer.status >= 400) return refused(answer);
      if (path === "") return { ...answer, body: repositoryOf(repository) };
      if (Array.isArray(answer.body)) return { ...answer, body: listed(path, answer.body, sent.query) };
      const pull = pulls.all.find(({ number }) => number === recordOf(answer.body)["number"]);
      if (pull === undefined) return answer;
      return {
        ...answer,
        body: path.endsWith("/requested_reviewers") ? simplePullOf(pull, repository) : pullOf(pull, repository),
      };
    },
  };

  /** The head commit of the newest pull request from this branch. */
  function shaOf(branch: string): string {
    return pulls.all.findLast(({ base }) => base.ref === branch)?.base.sha ?? "0".repeat(40);
  }

  function listed(path: string, found: readonly unknown[], query: URLSearchParams): readonly object[] {
    if (path.endsWith("/labels")) return found.map((name) => labelOf(String(name), repository));
    const [page, size] = [Number(query.get("page") ?? 1), Number(query.get("per_page") ?? 30)];
    const numbers = new Set(found.map((item) => recordOf(item)["number"]));
    const fits = pulls.all.filter(({ number }) => numbers.has(number)).toReversed();
    return fits.slice((page - 1) * size, page * size).map((pull) => simplePullOf(pull, repository));
  }
}

function refused({ status, body }: ForgeResponse): ForgeResponse {
  const { message, errors } = recordOf(body);
  const about = { message, documentation_url: DOCUMENTATION };
  if (!Array.isArray(errors)) return { status, body: { ...about, status: String(status) } };
  return { status, body: { ...about, errors: errors.map((error: object) => ({ resource: "PullRequest", ...error })) } };
}
