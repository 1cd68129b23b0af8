/** The panel's public API, as far as the harness needs it. */
import { setTimeout as wait } from "node:timers/promises";

export interface Candidate {
  readonly id: string;
  readonly title: string;
  readonly category: string;
  readonly mendable: boolean;
  readonly rationale: string;
  readonly evidence: readonly { readonly path: string; readonly line: number | null }[];
}

export interface Explored {
  readonly candidates: readonly Candidate[];
  /** Checks of the scan that could not look, with their reason. */
  readonly skipped: readonly string[];
}

export interface FinishedRun {
  /** `green`, `red`, or the result code of a run without a baseline. */
  readonly baseline: string;
  readonly branch: string | null;
  readonly isPushed: boolean;
  readonly result: string;
}

export interface AddedRepo {
  readonly id: string;
  readonly setup: string | null;
  readonly verify: string | null;
}

export interface Variable {
  readonly value: string;
  readonly sealed: true;
}

export interface Client {
  add(url: string, environment: Readonly<Record<string, Variable>>): Promise<AddedRepo>;
  explore(repoId: string): Promise<Explored>;
  /** A run whose agent is a command that adds a file. */
  runCommand(repoId: string): Promise<FinishedRun>;
  runCandidate(id: string): Promise<FinishedRun>;
}

export interface ClientOptions {
  readonly url: string;
  readonly token: string;
  /** When the project's time is over, by `performance.now()`. */
  readonly deadline: number;
  readonly report: (step: string) => void;
}

const POLL_MS = 500;
const NOTE = ["sh", "-c", "echo note >> NOTES.md"];

export function createClient({ url, token, deadline, report }: ClientOptions): Client {
  // oxlint-disable-next-line typescript/no-explicit-any -- a response of the panel, read as its contract says.
  async function request(path: string, body?: object): Promise<any> {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- the same.
    const json: any = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${json.code} ${json.detail}`);
    return json;
  }

  async function waitForRun(id: string, step: string) {
    let reported = "";
    for (;;) {
      const run = await request(`/api/runs/${id}`);
      if (run.state !== reported)
        report(`${step}: ${run.state}${run.queue_hint === null ? "" : ` (${run.queue_hint})`}`);
      reported = run.state;
      if (run.phase !== "active") return run;
      if (performance.now() > deadline) {
        await request(`/api/runs/${id}/cancel`, {}).catch(() => null);
        throw new Error(`${step}: still ${run.state} at the end of the project's time; ${await lastMessage(id)}`);
      }
      await wait(POLL_MS);
    }
  }

  async function lastMessage(id: string): Promise<string> {
    const { items } = await request(`/api/runs/${id}/bus?limit=1000`);
    return String(items.at(-1)?.text ?? "no messages").slice(-500);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- a run of the panel.
  async function finishedRun(run: any): Promise<FinishedRun> {
    const baseline = run.verify.baseline;
    const code = baseline?.exit_code;
    const isPushed = run.times.pushed_at !== null;
    const output = isPushed ? "" : ` | ${await lastMessage(run.id)}`;
    return {
      baseline: baseline === null ? (run.result?.code ?? "none") : code === 0 ? "green" : `red (${code})`,
      branch: run.branch,
      isPushed,
      result: `${run.state} ${run.result?.code ?? ""}: ${run.result?.message ?? ""}${output}`,
    };
  }

  return {
    async add(address, environment) {
      // Installing dependencies needs the registry, which the default policy does not reach.
      const isolation = { network: "open", level_required: "worktree" };
      const { id } = await request("/api/repos", { url: address, provider: "git", isolation, environment });
      for (;;) {
        const repo = await request(`/api/repos/${id}`);
        if (repo.status === "active") return { id, setup: repo.verify.setup_cmd, verify: repo.verify_cmd };
        if (repo.status !== "checking") throw new Error(`${repo.status}: ${repo.status_reason}`);
        if (performance.now() > deadline) throw new Error("the first contact did not end in the project's time");
        await wait(POLL_MS);
      }
    },
    async explore(repoId) {
      const { id } = await request(`/api/repos/${repoId}/explore`, { scout: "scan" });
      const run = await waitForRun(id, "explore");
      if (run.phase !== "success") return { candidates: [], skipped: [(await finishedRun(run)).result] };
      const skipped = run.explore.checks_skipped.map(
        ({ check, reason }: { check: string; reason: string }) => `${check}: ${reason}`,
      );
      const { items } = await request(`/api/repos/${repoId}/candidates?limit=100`);
      return { candidates: items, skipped };
    },
    async runCommand(repoId) {
      const members = [{ role: "coder", cli: "command", command: NOTE }];
      const team = { preset: "solo", max_rounds: 1, members };
      const { id } = await request(`/api/repos/${repoId}/run`, { focus: "Add a note.", team });
      return finishedRun(await waitForRun(id, "run"));
    },
    async runCandidate(id) {
      const run = await request(`/api/candidates/${id}/run`, {});
      return finishedRun(await waitForRun(run.id ?? run.run.id, "fix"));
    },
  };
}
