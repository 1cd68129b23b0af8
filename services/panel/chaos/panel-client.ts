/** A client that survives panel crashes: it retries with the same `Idempotency-Key`. An invalid response ends the campaign. */
import type { Repo, Run } from "@triptych/contracts";
import { createHash } from "node:crypto";

export interface PanelClient {
  untilReady(): Promise<void>;
  /** Resolves with its id once the repository has been reached. */
  addRepo(repo: { readonly url: string; readonly token: string; readonly followUp?: object }): Promise<string>;
  mergeRate(repoId: string): Promise<number | null>;
  /** Id of the run. The same key creates the same run. */
  startRun(repoId: string, key: string): Promise<string>;
  run(id: string): Promise<Run>;
  runs(): Promise<readonly Run[]>;
}

/** Writes the prompt to a file, so that every run has a different change, which makes its check pass. */
const COMMAND = ["sh", "-c", 'cp "$1" note.md', "sh", "{prompt_file}"];
const CHECK = "test -f note.md";
const RETRY_DELAY_MS = 25;
const RESPONSE_TIMEOUT_MS = 120_000;

export function createPanelClient({ url, token }: { readonly url: string; readonly token: string }): PanelClient {
  const get = async <T>(path: string) => (await ask("GET", path)).body as T;
  return {
    untilReady: async () => void (await ask("GET", "/api/account")),
    mergeRate: async (id) => (await get<Repo>(`/api/repos/${id}`)).stats.merge_rate_30d,
    async addRepo({ url, token, followUp }) {
      const { body } = await ask("POST", "/api/repos", {
        key: hashed(url),
        body: {
          url,
          provider: "github",
          credential: { kind: "token", token },
          verify_cmd: CHECK,
          verify: { retries: 0, timeout_s: 60 },
          isolation: { level_required: "worktree" },
          team: { preset: "solo", members: [{ role: "coder", cli: "command", command: COMMAND }] },
          pr: { draft: false },
          ...(followUp !== undefined && { follow_up: followUp }),
        },
      });
      const { id } = body as { id: string };
      while ((await get<{ status: string }>(`/api/repos/${id}`)).status === "checking") await pass(RETRY_DELAY_MS);
      return id;
    },
    async startRun(repoId, key) {
      const body = { focus: `Note ${key}`, parallel: true };
      const answer = await ask("POST", `/api/repos/${repoId}/run`, { key, body });
      return (answer.body as Run).id;
    },
    run: (id) => get<Run>(`/api/runs/${id}`),
    async runs() {
      const all: Run[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const more = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const page: { items: Run[]; next_cursor: string | null } = await get(`/api/runs?limit=200${more}`);
        all.push(...page.items);
        cursor = page.next_cursor;
      }
      return all;
    },
  };

  async function ask(method: string, path: string, sent: { readonly key?: string; readonly body?: unknown } = {}) {
    const late = performance.now() + RESPONSE_TIMEOUT_MS;
    for (;;) {
      const answer = await tryOnce(method, path, sent);
      if (answer !== null) return answer;
      if (performance.now() > late) throw new Error(`${method} ${path}: no response within ${RESPONSE_TIMEOUT_MS} ms`);
      await pass(RETRY_DELAY_MS);
    }
  }

  /** Null if a retry is needed: connection refused, response lost, or panel starting or stopping. */
  async function tryOnce(method: string, path: string, { key, body }: { key?: string; body?: unknown }) {
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(key !== undefined && { "Idempotency-Key": key }),
          ...(body !== undefined && { "Content-Type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      });
      const text = await response.text();
      if (response.status === 503 || response.status === 409) return null;
      if (!response.ok) throw new Unexpected(`${method} ${path} failed with status ${response.status}: ${text}`);
      return { status: response.status, body: JSON.parse(text) as unknown };
    } catch (error) {
      if (error instanceof Unexpected) throw error;
      return null;
    }
  }
}

class Unexpected extends Error {}

export async function pass(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

function hashed(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
