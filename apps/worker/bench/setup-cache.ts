/**
 * Measures the time from a run's assignment to its agent, without and with cached dependencies, in one process. "Warm": the worker had time
 * to make the spare copy. "Next": the run after it starts immediately, and waits until that copy is made. `node
 * apps/worker/bench/setup-cache.ts <folder with package.json and package-lock.json> [level] [rounds]`. `npm ci` uses the registry of this
 * machine's settings.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { hostPrograms } from "../src/agents/find-program.ts";
import { openDependencyCache } from "../src/dependencies/dependency-cache.ts";
import type { DependencyTools } from "../src/dependencies/run-dependencies.ts";
import { createToolVersions } from "../src/dependencies/tool-versions.ts";
import { createBaselines, createMirrors, createScriptedAgent, readScript, runPhases } from "../src/index.ts";
import { soloTeam } from "../src/agents/team-members.ts";
import { systemClock } from "../src/run/clock.ts";
import { detectIsolation } from "../src/sandbox/isolation.ts";

const [, , source = ".", level = "auto", rounds = "3"] = process.argv;
const hostEnvironment = process.env;
const path = hostEnvironment["PATH"] ?? "/usr/bin:/bin";
const mode = level === "worktree" ? "worktree" : "auto";
const isolation = await detectIsolation(mode, { path, hidden: [homedir()], exposed: [] });
const folder = mkdtempSync(join(tmpdir(), "setup-cache-"));
const work = join(folder, "work");
mkdirSync(work);
for (const name of ["package.json", "package-lock.json"]) cpSync(join(source, name), join(work, name));
writeFileSync(join(work, ".gitignore"), "node_modules\n");
git("init", "--quiet", "--template=", "--initial-branch=main");
git("add", "--all");
git("commit", "--quiet", "--message=First");
const sha = git("rev-parse", "HEAD");
const versions = createToolVersions(hostPrograms(hostEnvironment));
const LIFTED = {
  maxChangedFiles: null,
  maxDiffLines: null,
  diskMb: null,
  memoryMb: null,
  processes: null,
  maxCostMicro: null,
  maxTokens: null,
  maxTurns: null,
};
let count = 0;

try {
  await run(null);
  const cold: number[] = [];
  const warm: number[] = [];
  const next: number[] = [];
  for (let round = 0; round < Number(rounds); round++) {
    cold.push(await run(null));
    await using cache = await openDependencyCache({
      folder: join(folder, `cache-${round}`),
      bytesMax: 1e10,
      isProtected: true,
      now: () => Date.now(),
    });
    const tools = { cache, isRead: true, versions, host: {} };
    const first = await run(tools);
    await cache.settled();
    warm.push(await run(tools));
    next.push(await run(tools));
    const figures = `cold ${cold.at(-1)} ms, first with cache ${first} ms, warm ${warm.at(-1)} ms, next ${next.at(-1)} ms`;
    process.stderr.write(`${figures}; load ${loadavg()[0]?.toFixed(1)}\n`);
  }
  const [coldMs, warmMs, nextMs] = [median(cold), median(warm), median(next)];
  const times = Math.round((coldMs / warmMs) * 10) / 10;
  process.stdout.write(`${JSON.stringify({ level: isolation.level, coldMs, warmMs, nextMs, times })}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(dependencies: DependencyTools | null): Promise<number> {
  const startedAt = performance.now();
  let agentAt = NaN;
  const runFolder = join(folder, `run-${count++}`);
  const outcome = await runPhases(
    {
      runId: "run_bench",
      clone: { repository: "product", url: pathToFileURL(work).href, branch: "main", sha, bearer: null },
      verify: { command: null, setupCommand: "npm ci --no-audit --no-fund", timeoutS: 600, retries: 0, baseline: true },
      gate: null,
      maxRounds: 1,
      focus: "Nothing",
      memories: [],
      limits: { timeoutS: 900, idleTimeoutS: 900, ...LIFTED },
      prices: new Map(),
      usdEur: 1,
      isolation: { levelRequired: "worktree", network: "open", allowHosts: [] },
      protectedPaths: [],
      author: { name: "Bench", email: "bench@example.test" },
    },
    {
      folder: runFolder,
      mirrors: createMirrors(join(folder, "mirrors"), systemClock),
      baselines: createBaselines(join(folder, "baselines"), {}),
      dependencies,
      team: soloTeam(
        { cli: "scripted", model: null, command: null },
        createScriptedAgent(readScript({ rounds: [[]] }), async () => {}),
      ),
      createSandbox: isolation.sandboxes({ providers: [], addressOf: async () => null }),
      reporter: {
        say: () => {},
        enter: ({ state }) => void (agentAt = state === "running" ? performance.now() : agentAt),
      },
      hostEnvironment,
      secrets: new Map(),
      signal: new AbortController().signal,
      now: () => Date.now(),
      elapsed: () => performance.now(),
    },
  );
  if (outcome.kind !== "no_change") throw new Error(JSON.stringify(outcome));
  for (const name of readdirSync(runFolder)) rmSync(join(runFolder, name), { recursive: true, force: true });
  return Math.round(agentAt - startedAt);
}

function git(...args: readonly string[]): string {
  const who = ["-c", "user.name=Bench", "-c", "user.email=bench@example.test"];
  return execFileSync("git", ["-C", work, ...who, ...args], { encoding: "utf8" }).trim();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
