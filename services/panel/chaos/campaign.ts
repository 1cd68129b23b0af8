/** Kills the panel and its workers with `kill -9` at random times under load. The seed determines victims and times as far as possible. */
import { createChance, type Chance } from "@triptych/rail/chaos";
import type { Run } from "@triptych/contracts";
import { pass, type PanelClient } from "./panel-client.ts";
import { judgeFollowUps } from "./judge-follow-ups.ts";
import { judge, type Violation } from "./judge.ts";
import { openStage, type Stage, type StagedRepo } from "./stage.ts";

export interface CampaignOptions {
  readonly seed: number;
  readonly runs: number;
  readonly kills: number;
  readonly workers: number;
  readonly repos: number;
  readonly databaseUrl?: string | undefined;
  /** How many head commits of each pull request fail their check; each of them needs a follow-up. Default 0. */
  readonly redHeads?: number;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly kills: number;
  readonly started: number;
  readonly ended: number;
}

export interface Outcome {
  readonly violations: readonly Violation[];
  readonly kills: { readonly panel: number; readonly worker: number };
  /** Ended runs by state. */
  readonly states: ReadonlyMap<string, number>;
  /** Number of leases: above the number of runs where a holder died. */
  readonly leases: number;
  /** From the poll that starts a follow-up to its push, in milliseconds, ascending. */
  readonly followUpMs: readonly number[];
}

/** Maximum number of open runs: enough for a queue, few enough to progress. */
const ACTIVE_RUNS_MAX = 24;
/** Applies to each run of a pull request, because follow-ups wait for the same workers. */
const REST_TIMEOUT_MS = 300_000;
const POLL_INTERVAL_MS = 400;
const OUTPUT_CHARACTERS_MAX = 4_000_000;

export async function runCampaign(options: CampaignOptions): Promise<Outcome> {
  const { seed, workers, repos, databaseUrl, redHeads = 0 } = options;
  let output = "";
  const onOutput = (text: string) => void (output = (output + text).slice(-OUTPUT_CHARACTERS_MAX));
  await using stage = await openStage({ workers, repos, databaseUrl, redHeads, onOutput });
  const accepted = new Set<string>();
  const kills = { panel: 0, worker: 0 };
  const ended = new Set<string>();
  const reportProgress = () =>
    options.onProgress?.({ kills: kills.panel + kills.worker, started: accepted.size, ended: ended.size });
  try {
    await Promise.all([
      ask(stage, { options, accepted, ended, reportProgress }),
      strike(stage, { options, chance: createChance(seed), kills, ended, reportProgress }),
    ]);
  } catch (error) {
    const last = output.replaceAll(/.*"panel unreachable.*\n/g, "").slice(-4000);
    const exits = [stage.panel, ...stage.workers].map((program) => program.exitCode ?? "running").join(", ");
    throw new Error(
      `The campaign with seed ${seed} was aborted. Exit codes of panel and workers: ${exits}. Last output:\n${last}`,
      { cause: error },
    );
  }
  const runs = await stage.client.runs();
  const states = new Map<string, number>();
  for (const { state } of runs) states.set(state, (states.get(state) ?? 0) + 1);
  const leaked = stage.secrets.filter((secret) => output.includes(secret));
  const secret = leaked.map(() => ({ invariant: "secret", message: "a process printed a secret" }) as const);
  const followed = redHeads > 0 ? await judgeFollowUps(stage, { runs, redHeads }) : [];
  const violations = [...(await judge({ accepted, runs, repos: stage.repos })), ...followed, ...secret];
  if (violations.length > 0) process.stderr.write(`Last output:\n${output.slice(-20_000)}\n`);
  const leases = runs.reduce((sum, { epoch }) => sum + epoch, 0);
  return { violations, kills, states, leases, followUpMs: followUpTimes(runs) };
}

function followUpTimes(runs: readonly Run[]): readonly number[] {
  const pushed = runs.filter(({ trigger, times }) => trigger.type === "follow_up" && times.pushed_at !== null);
  return pushed
    .map(({ times }) => Date.parse(times.pushed_at ?? "") - Date.parse(times.queued_at))
    .toSorted((a, b) => a - b);
}

interface Asking {
  readonly options: CampaignOptions;
  readonly accepted: Set<string>;
  readonly ended: Set<string>;
  readonly reportProgress: () => void;
}

/** Creates all runs, a few at a time, and waits until each rests. */
async function ask({ client, repos }: Stage, { options, accepted, ended, reportProgress }: Asking): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: Math.min(ACTIVE_RUNS_MAX, options.runs) }, follow));

  async function follow(): Promise<void> {
    for (let number = next++; number < options.runs; number = next++) {
      const repo = repos[number % repos.length];
      const id = await client.startRun(repo.id, `chaos-${options.seed}-${number}`);
      accepted.add(id);
      const late = performance.now() + REST_TIMEOUT_MS * (1 + (options.redHeads ?? 0));
      while (!rests(await client.run(id)) && performance.now() < late) await pass(POLL_INTERVAL_MS);
      if ((options.redHeads ?? 0) > 0) await mergeWhenGreen(client, { repo, id, late });
      ended.add(id);
      reportProgress();
    }
  }
}

/** Merges like a person: once the follow-ups have made the check pass. */
async function mergeWhenGreen(
  client: PanelClient,
  { repo, id, late }: { readonly repo: StagedRepo; readonly id: string; readonly late: number },
): Promise<void> {
  let isMerged = false;
  while (performance.now() < late) {
    const { state, pr } = await client.run(id);
    if (state !== "pr_open" || pr?.state === "merged") return;
    if (!isMerged && pr?.checks.state === "passed") {
      repo.forge.pulls.close(pr.number, { merged: true });
      isMerged = true;
    }
    await pass(POLL_INTERVAL_MS);
  }
}

function rests({ phase }: Run): boolean {
  return phase === "success" || phase === "failure";
}

interface Striking {
  readonly options: CampaignOptions;
  readonly chance: Chance;
  readonly kills: { panel: number; worker: number };
  readonly ended: ReadonlySet<string>;
  readonly reportProgress: () => void;
}

/** Kills are spread over this time, so that they hit every step of a run. */
const PEACE_MS = 1500;
const PROGRESS_TIMEOUT_MS = 10_000;

/** Spreads the kills over the runs: a panel that only restarts, or has no work, proves nothing. */
async function strike(stage: Stage, { options, chance, kills, ended, reportProgress }: Striking): Promise<void> {
  for (let number = 0; number < options.kills; number++) {
    const late = performance.now() + PROGRESS_TIMEOUT_MS;
    const due = Math.floor((options.runs * number) / options.kills);
    while (ended.size < due && performance.now() < late) await pass(POLL_INTERVAL_MS);
    await pass(PEACE_MS * chance.next());
    for (const program of [stage.panel, ...stage.workers]) program.check();
    if (chance.hits(0.4)) {
      await stage.panel.strike();
      kills.panel++;
      await stage.client.untilReady();
    } else {
      await chance.pick(stage.workers).strike();
      kills.worker++;
    }
    reportProgress();
  }
}
