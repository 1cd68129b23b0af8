/**
 * Scans a large repository twice and prints the time of each part as JSON: `node scan-process.ts <folder> <files>`. The tree resembles a
 * product: half of the sources have tests, every twentieth has a TODO, documents link to each other.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createBaselines } from "../src/phases/baselines.ts";
import { systemClock } from "../src/run/clock.ts";
import { createWorktrees } from "../src/sandbox/worktree.ts";
import { createMirrors } from "../src/git/clone.ts";
import { explore } from "../src/phases/explore/explore.ts";
import type { ExploreRequest } from "../src/phases/explore/explore-request.ts";
import { networkAccessOf } from "../src/scouts/network-access.ts";

export interface Scanned {
  readonly files: number;
  readonly bytes: number;
  /** The time from the checked-out tree to the findings, for each scan. */
  readonly scanMs: readonly number[];
  /** CPU time of this process, which is independent of the machine's load. */
  readonly scanCpuMs: readonly number[];
  /** Includes the clone and one run of every gate. */
  readonly wholeMs: readonly number[];
  readonly found: number;
  readonly isSame: boolean;
}

const [, , folder = ".", countArg = "10000"] = process.argv;
const DAY = Date.UTC(2030, 0, 1);
const work = join(folder, "product");
const written = plant(work, Number(countArg));
const sha = git("rev-parse", "HEAD");
const runs = [await scout(0), await scout(1)];
const [first, second] = runs;
const scanned: Scanned = {
  ...written,
  scanMs: runs.map(({ scanMs }) => scanMs),
  scanCpuMs: runs.map(({ scanCpuMs }) => scanCpuMs),
  wholeMs: runs.map(({ wholeMs }) => wholeMs),
  found: first?.found ?? 0,
  isSame: first !== undefined && first.digest === second?.digest,
};
process.stdout.write(JSON.stringify(scanned));

async function scout(round: number) {
  const entered = new Map<string, { readonly at: number; readonly cpu: number }>();
  const begun = performance.now();
  const outcome = await explore(createExploreRequest(), {
    folder: join(folder, `run-${round}`),
    mirrors: createMirrors(join(folder, "mirrors"), systemClock),
    baselines: createBaselines(join(folder, "baselines"), {}),
    dependencies: null,
    teamMember: null,
    createSandbox: createWorktrees("worktree", { providers: [], addressOf: async () => null }),
    reporter: { say: () => {}, enter: ({ state }) => void entered.set(state, { at: performance.now(), cpu: used() }) },
    hostEnvironment: { PATH: process.env["PATH"] },
    secrets: new Map(),
    signal: new AbortController().signal,
    now: () => DAY,
    elapsed: () => performance.now(),
    network: networkAccessOf({}),
    isMendable: async () => false,
  });
  if (outcome.kind !== "found") throw new Error(`the scout ended as ${JSON.stringify(outcome)}`);
  const { candidates } = outcome.found;
  const [from, to] = [entered.get("running"), entered.get("verifying")];
  const lasting = candidates.map((candidate) => ({ ...candidate, gate_proof: null }));
  return {
    scanMs: (to?.at ?? NaN) - (from?.at ?? NaN),
    scanCpuMs: (to?.cpu ?? NaN) - (from?.cpu ?? NaN),
    wholeMs: performance.now() - begun,
    found: candidates.length,
    digest: createHash("sha256").update(JSON.stringify(lasting)).digest("hex"),
  };
}

function used(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function createExploreRequest(): ExploreRequest {
  return {
    runId: "run_bench",
    clone: { repository: "product", url: pathToFileURL(work).href, branch: "main", sha, bearer: null },
    verify: { command: null, setupCommand: null, timeoutS: 60, retries: 0, baseline: true },
    gate: null,
    maxRounds: 1,
    focus: "Keep it healthy",
    memories: [],
    limits: {
      timeoutS: 600,
      idleTimeoutS: 600,
      maxChangedFiles: null,
      maxDiffLines: null,
      diskMb: null,
      memoryMb: null,
      processes: null,
      maxCostMicro: null,
      maxTokens: null,
      maxTurns: null,
    },
    prices: new Map(),
    usdEur: 1,
    isolation: { levelRequired: "worktree", network: "model_only", allowHosts: [] },
    protectedPaths: [],
    author: { name: "Bench", email: "bench@example.test" },
    scouts: { scan: true, agent: false },
    checks: null,
    areas: ["**"],
    maxCandidates: 10,
    existingFindings: [],
    deps: { minReleaseAgeDays: 7, group: "minor" },
  };
}

function plant(root: string, count: number): Pick<Scanned, "files" | "bytes"> {
  let bytes = 0;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    bytes += text.length;
  };
  const lines = (start: number) => Array.from({ length: 60 }, (_, line) => `export const v${line} = ${start + line};`);
  for (let index = 0; index < count - 2; index++) {
    const area = `part-${index % 100}`;
    if (index % 10 === 9)
      write(`docs/${area}/page-${index}.md`, `# Page ${index}\n\nSee [another](page-${index - 1}.md).\n`);
    else if (index % 3 === 1)
      write(`test/${area}/unit-${index - 1}.test.js`, `import "../../src/${area}/unit-${index - 1}.js";\n`);
    else
      write(
        `src/${area}/unit-${index}.js`,
        `${index % 20 === 0 ? `// TODO: look at ${index}\n` : ""}${lines(index).join("\n")}\n`,
      );
  }
  write("README.md", "# Product\n\n[gone](docs/gone.md)\n");
  write("package.json", JSON.stringify({ name: "product", license: "MIT" }));
  git("init", "--quiet", "--template=", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=First");
  return { files: count, bytes };
}

function git(...args: readonly string[]): string {
  const who = ["-c", "user.name=Bench", "-c", "user.email=bench@example.test", "-c", "core.fsync=none"];
  const env = { PATH: process.env["PATH"], GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  return execFileSync("git", ["-C", work, ...who, ...args], { env, encoding: "utf8" }).trim();
}
