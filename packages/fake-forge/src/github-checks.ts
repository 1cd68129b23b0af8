/** The part of GitHub's check runs API that an app needs to create a run and find it. */
import { type ForgeResponse, recordOf } from "./github-pulls.ts";
import { type AppInfo, type CheckRun, checkRunOf } from "./github-app-responses.ts";

interface CheckRuns {
  readonly all: readonly CheckRun[];
  handle(
    method: string,
    path: string,
    parts: { readonly query: URLSearchParams; readonly body: unknown },
  ): ForgeResponse;
}

export function problem(status: number, message: string): ForgeResponse {
  return { status, body: { message, documentation_url: "https://docs.github.com/rest", status: String(status) } };
}

export const NOT_FOUND = problem(404, "Not Found");

/** `at` is the path of the repository. */
export function createCheckRuns(at: string, info: AppInfo): CheckRuns {
  const all: CheckRun[] = [];
  return {
    all,
    handle(method, path, { query, body }) {
      const [, sha] = new RegExp(`^${at}/commits/([^/]+)/check-runs$`).exec(path) ?? [];
      if (method === "GET" && sha !== undefined) return list(sha, query.get("check_name"));
      return method === "POST" && path === `${at}/check-runs` ? create(recordOf(body)) : NOT_FOUND;
    },
  };

  function list(sha: string, name: string | null): ForgeResponse {
    const found = all.filter((run) => run.head_sha === sha && (name === null || run.name === name));
    return { status: 200, body: { total_count: found.length, check_runs: found.map((run) => checkRunOf(info, run)) } };
  }

  function create(input: Readonly<Record<string, unknown>>): ForgeResponse {
    const { name, head_sha, external_id, status, conclusion, details_url, output } = input;
    if (textOf(name) === null || !/^[0-9a-f]{40}$/.test(String(head_sha))) return problem(422, "Validation Failed");
    const { title, summary } = recordOf(output);
    const run: CheckRun = {
      id: all.length + 1,
      name: String(name),
      head_sha: String(head_sha),
      external_id: textOf(external_id) ?? "",
      status: textOf(status) ?? "queued",
      conclusion: textOf(conclusion),
      details_url: textOf(details_url),
      title: textOf(title),
      summary: textOf(summary),
    };
    all.push(run);
    return { status: 201, body: checkRunOf(info, run) };
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
