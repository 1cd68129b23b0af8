/** The part of GitHub's pull request API that opens a pull request, finds one by head, and reopens one. */
export interface PullRequest {
  readonly number: number;
  readonly state: "open" | "closed";
  readonly merged: boolean;
  readonly draft: boolean;
  readonly title: string;
  readonly body: string;
  readonly html_url: string;
  readonly head: { readonly ref: string; readonly label: string; readonly sha: string };
  readonly base: { readonly ref: string; readonly sha: string };
  readonly labels: readonly unknown[];
  readonly requested_reviewers: readonly unknown[];
  readonly assignees: readonly unknown[];
  /** False if it conflicts with its base; null if not computed yet. */
  readonly mergeable: boolean | null;
  readonly updated_at: string;
}

export interface ForgeResponse {
  readonly status: number;
  readonly body: unknown;
}

export interface GitHubPulls {
  /** `path` is the part after `/api/v3/repos/{owner}/{name}`. */
  handle(
    method: string,
    path: string,
    parts: { readonly query: URLSearchParams; readonly body: unknown },
  ): ForgeResponse;
  readonly all: readonly PullRequest[];
  /** Simulates a close or merge by a user of the host. */
  close(number: number, how: { readonly merged: boolean }): void;
  reopen(number: number): void;
  /** Simulates a label, a conflict, or a comment, which changes `updated_at`. */
  touch(number: number, to?: Partial<Pick<PullRequest, "labels" | "mergeable">>): void;
}

interface PullsOptions {
  readonly owner: string;
  readonly url: string;
  /** The commit of a branch; null if it does not exist. */
  readonly shaOf: (branch: string) => string | null;
}

const FIRST_AT = "2026-01-01T00:00:00Z";
const NOT_FOUND: ForgeResponse = { status: 404, body: { message: "Not Found" } };

export function createGitHubPulls({ owner, url, shaOf }: PullsOptions): GitHubPulls {
  const pulls: PullRequest[] = [];

  let changes = 0;

  return {
    get all() {
      followBranches();
      return pulls;
    },
    touch: (number, to = {}) => void change(number, to),
    close(number, { merged }) {
      change(number, { state: "closed", merged });
    },
    reopen(number) {
      change(number, { state: "open", merged: false });
    },
    handle(method, path, { query, body }) {
      followBranches();
      if (path === "" && method === "GET") return repository();
      if (path === "/pulls" && method === "GET") return { status: 200, body: listed(pulls, query) };
      if (path === "/pulls" && method === "POST") return create(recordOf(body));
      const decorated = /^\/(?:issues\/(\d+)\/(?:labels|assignees)|pulls\/(\d+)\/requested_reviewers)$/.exec(path);
      if (decorated !== null && method === "POST")
        return decorate(Number(decorated[1] ?? decorated[2]), decorationOf(recordOf(body)));
      const number = Number(/^\/pulls\/(\d+)$/.exec(path)?.[1] ?? 0);
      const found = pulls.find((pull) => pull.number === number);
      if (found === undefined) return NOT_FOUND;
      if (method === "GET") return { status: 200, body: found };
      return method === "PATCH" ? patch(found, recordOf(body)) : NOT_FOUND;
    },
  };

  /** An open pull request shows the head of its branch. */
  function followBranches(): void {
    for (const { number, state, head } of pulls) {
      const sha = state === "open" ? shaOf(head.ref) : null;
      if (sha !== null && sha !== head.sha) change(number, { head: { ...head, sha } });
    }
  }

  function repository(): ForgeResponse {
    return { status: 200, body: { default_branch: "main", permissions: { pull: true, push: true, admin: false } } };
  }

  function create(input: Readonly<Record<string, unknown>>): ForgeResponse {
    const { title, head, base } = input;
    const missing = Object.entries({ title, head, base }).filter(([, value]) => typeof value !== "string");
    if (missing.length > 0) return refused(missing.map(([field]) => ({ field, code: "missing_field" })));
    const branch = String(head).replace(`${owner}:`, "");
    const [sha, baseSha] = [shaOf(branch), shaOf(String(base))];
    if (sha === null) return refused([{ field: "head", code: "invalid" }]);
    if (baseSha === null) return refused([{ field: "base", code: "invalid" }]);
    if (pulls.some((pull) => pull.state === "open" && pull.head.ref === branch && pull.base.ref === base))
      return refused([{ code: "custom", message: `A pull request already exists for ${owner}:${branch}.` }]);
    const number = pulls.length + 1;
    const headRef = { ref: branch, label: `${owner}:${branch}`, sha };
    const pull = newPull(input, { number, url, head: headRef, base: { ref: String(base), sha: baseSha } });
    pulls.push(pull);
    return { status: 201, body: pull };
  }

  function decorate(number: number, to: Partial<PullRequest>): ForgeResponse {
    if (!pulls.some((pull) => pull.number === number)) return NOT_FOUND;
    return decoratedAs(change(number, to), to);
  }

  function patch(pull: PullRequest, { state }: Readonly<Record<string, unknown>>): ForgeResponse {
    if (state !== "open" && state !== "closed") return refused([{ field: "state", code: "invalid" }]);
    const mayOpen = !pull.merged && shaOf(pull.head.ref) !== null;
    if (state === "open" && !mayOpen) return refused([{ field: "state", code: "invalid" }]);
    return { status: 200, body: change(pull.number, { state }) };
  }

  function change(number: number, to: Partial<PullRequest>): PullRequest {
    const updated_at = new Date(Date.parse(FIRST_AT) + ++changes * 1000).toISOString().replace(".000", "");
    pulls[number - 1] = { ...pulls[number - 1], updated_at, ...to };
    return pulls[number - 1];
  }
}

function listed(pulls: readonly PullRequest[], query: URLSearchParams): readonly PullRequest[] {
  const head = query.get("head");
  const state = query.get("state") ?? "open";
  const fits = pulls.filter((pull) => state === "all" || pull.state === state);
  return fits.filter((pull) => head === null || pull.head.label === head).reverse();
}

type Placed = Pick<PullRequest, "number" | "head" | "base"> & { readonly url: string };

function newPull(input: Readonly<Record<string, unknown>>, { number, url, head, base }: Placed): PullRequest {
  return {
    number,
    state: "open",
    merged: false,
    draft: input["draft"] === true,
    title: String(input["title"]),
    body: typeof input["body"] === "string" ? input["body"] : "",
    html_url: `${url}/pull/${number}`,
    head,
    base,
    labels: [],
    requested_reviewers: [],
    assignees: [],
    mergeable: true,
    updated_at: FIRST_AT,
  };
}

function refused(errors: readonly object[]): ForgeResponse {
  return { status: 422, body: { message: "Validation Failed", errors } };
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function decorationOf({ labels, assignees, reviewers }: Readonly<Record<string, unknown>>): Partial<PullRequest> {
  if (Array.isArray(labels)) return { labels };
  if (Array.isArray(assignees)) return { assignees };
  return { requested_reviewers: Array.isArray(reviewers) ? reviewers : [] };
}

function decoratedAs(pull: PullRequest, { labels }: Partial<PullRequest>): ForgeResponse {
  return labels === undefined ? { status: 201, body: pull } : { status: 200, body: pull.labels };
}
