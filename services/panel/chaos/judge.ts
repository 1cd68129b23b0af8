/** Checks the invariants once all runs have ended, from the panel's responses and the forges' records. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Run } from "@triptych/contracts";
import type { StagedRepo } from "./stage.ts";

export interface Violation {
  readonly invariant:
    | "lost"
    | "extra"
    | "stuck"
    | "pushed twice"
    | "duplicate PR"
    | "missing PR"
    | "unexpected push"
    | "failed"
    | "lost follow-up"
    | "too many follow-ups"
    | "parallel follow-ups"
    | "comment"
    | "secret";
  readonly message: string;
}

export interface Evidence {
  /** Ids returned by POST run. */
  readonly accepted: ReadonlySet<string>;
  readonly runs: readonly Run[];
  readonly repos: readonly StagedRepo[];
}

export async function judge({ accepted, runs, repos }: Evidence): Promise<readonly Violation[]> {
  const runsById = new Map(runs.map((run) => [run.id, run]));
  const lost = [...accepted]
    .filter((id) => !runsById.has(id))
    .map((id) => ({ invariant: "lost", message: id }) as const);
  const extra = runs
    .filter(({ id, trigger }) => !accepted.has(id) && trigger.type !== "follow_up")
    .map(({ id }) => ({ invariant: "extra", message: id }) as const);
  const isStuck = ({ phase }: Run) => phase === "active" || phase === "attention";
  const stuck = runs.filter(isStuck).map(stuckOf);
  const failed = runs.filter((run) => !isStuck(run) && !mayEndSo(run)).map(failedOf);
  const pushed = await Promise.all(repos.map((repo) => judgeForge(repo, runsById)));
  return [...lost, ...extra, ...stuck, ...failed, ...pushed.flat()];
}

/** A run may be lost only after losing its worker on every attempt. */
function mayEndSo({ state, attempt, max_attempts, result }: Run): boolean {
  return state === "pr_open" || (state === "lost" && result?.code === "worker_lost" && attempt === max_attempts);
}

function failedOf({ id, state, result }: Run): Violation {
  return { invariant: "failed", message: `${id} is ${state}: ${result?.code} ${result?.message}` };
}

function stuckOf({ id, state, warnings }: Run): Violation {
  return { invariant: "stuck", message: `${id} is ${state} ${warnings.join(" ")}` };
}

async function judgeForge({ id, bare, forge }: StagedRepo, runsById: ReadonlyMap<string, Run>): Promise<Violation[]> {
  const violations: Violation[] = [];
  const logs = join(bare, "logs", "refs", "heads", "maint");
  const branches = await readdir(logs).catch(() => []);
  for (const branch of branches) {
    const changes = (await readFile(join(logs, branch), "utf8")).trim().split("\n").length;
    const pushes = [...runsById.values()].filter(
      (run) => run.branch === `maint/${branch}` && run.times.pushed_at !== null,
    );
    if (changes > pushes.length)
      violations.push({
        invariant: "pushed twice",
        message: `${branch} was updated ${changes} times by ${pushes.length} runs`,
      });
    const run = runsById.get(branch);
    if (run === undefined) violations.push({ invariant: "unexpected push", message: `${branch} belongs to no run` });
  }
  const heads = new Map<string, number>();
  for (const { head } of forge.pulls.all) heads.set(head.ref, (heads.get(head.ref) ?? 0) + 1);
  for (const [head, count] of heads)
    if (count > 1) violations.push({ invariant: "duplicate PR", message: `${head} has ${count} pull requests` });
  for (const run of runsById.values())
    if (run.repo_id === id && run.state === "pr_open" && heads.get(run.branch ?? "") !== 1)
      violations.push({ invariant: "missing PR", message: `${run.id} reports a pull request that does not exist` });
  return violations;
}
