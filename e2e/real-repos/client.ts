/** The panel's public API, as far as the harness needs it. */
import { until } from "../processes.ts";

export interface Candidate {
  readonly id: string;
  readonly title: string;
  readonly mendable: boolean;
}

export interface Ended {
  /** `green`, `red`, or why there is none. */
  readonly baseline: string;
  readonly isPushed: boolean;
  readonly result: string;
}

export interface Client {
  add(url: string): Promise<{ readonly id: string; readonly setup: string | null }>;
  explore(repoId: string): Promise<readonly Candidate[]>;
  /** A run whose agent is a command that adds a file. */
  runCommand(repoId: string): Promise<Ended>;
  runCandidate(id: string): Promise<Ended>;
}

const PATIENCE_MS = 600_000;
const ADDS_FILE = ["sh", "-c", "echo one more >> NOTES.md"];

export function createClient(url: string, token: string): Client {
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer of the panel, read as its contract says.
  async function ask(path: string, body?: object): Promise<any> {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- the same.
    const answer: any = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${answer.code} ${answer.detail}`);
    return answer;
  }

  async function ended(id: string) {
    let run = await ask(`/api/runs/${id}`);
    await until(
      `run ${id} ends`,
      async () => {
        run = await ask(`/api/runs/${id}`);
        return run.phase !== "active";
      },
      PATIENCE_MS,
    );
    return run;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- a run of the panel.
  function endOf(run: any): Ended {
    const baseline = run.verify.baseline;
    const code = baseline?.exit_code;
    return {
      baseline: baseline === null ? (run.result?.code ?? "none") : code === 0 ? "green" : `red (${code})`,
      isPushed: run.times.pushed_at !== null || run.state === "succeeded" || run.state === "pushed",
      result: `${run.state} ${run.result?.code ?? ""} ${run.result?.message ?? ""}`.trim(),
    };
  }

  return {
    async add(address) {
      // Installing dependencies needs the registry, which the default policy does not reach.
      const isolation = { network: "open", level_required: "worktree" };
      const { id } = await ask("/api/repos", { url: address, provider: "git", isolation });
      let repo = await ask(`/api/repos/${id}`);
      await until(`${address} is reached`, async () => {
        repo = await ask(`/api/repos/${id}`);
        return repo.status !== "checking";
      });
      return { id, setup: repo.verify.setup_cmd };
    },
    async explore(repoId) {
      await ended((await ask(`/api/repos/${repoId}/explore`, { scout: "scan" })).id);
      return (await ask(`/api/repos/${repoId}/candidates?limit=100`)).items;
    },
    async runCommand(repoId) {
      const members = [{ role: "coder", cli: "command", command: ADDS_FILE }];
      const team = { preset: "solo", max_rounds: 1, members };
      return endOf(await ended((await ask(`/api/repos/${repoId}/run`, { focus: "Add a note.", team })).id));
    },
    async runCandidate(id) {
      const run = await ask(`/api/candidates/${id}/run`, {});
      return endOf(await ended(run.id ?? run.run.id));
    },
  };
}
