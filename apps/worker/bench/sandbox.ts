/**
 * Measures the cost of the sandbox: the same command without it, with it, and with a forwarder to a model, interleaved so that all three
 * share machine conditions. `node apps/worker/bench/sandbox.ts [turns]`.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { CreateSandbox } from "../src/sandbox/sandbox-factory.ts";
import type { ModelAccess } from "../src/sandbox/network.ts";
import { createWorktrees } from "../src/sandbox/worktree.ts";
import { detectIsolation } from "../src/sandbox/isolation.ts";

const rounds = Number(process.argv[2] ?? 40);
const path = process.env["PATH"] ?? "/usr/bin:/bin";
const { sandboxes, lacks } = await detectIsolation("auto", { path, hidden: [homedir()], exposed: [] });
if (lacks !== null) throw new Error(lacks);
const provider = { id: "openai", baseUrl: "http://127.0.0.1:1", key: null, keyHeader: "authorization" } as const;
const models: ModelAccess = { providers: [provider], addressOf: async () => null };
const lifted = { memoryMb: null, processes: null, diskMb: null, maxCostMicro: null, maxTokens: null, maxTurns: null };
const limits = { timeoutS: 60, idleTimeoutS: 60, maxChangedFiles: null, maxDiffLines: null, ...lifted };

async function open(make: CreateSandbox, network: "none" | "model_only") {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const named = (name: string) => join(folder, name);
  const folders = {
    tree: named("tree"),
    gitFolder: named("git"),
    home: named("home"),
    temporary: named("temporary"),
    notes: named("notes"),
  };
  for (const path of Object.values(folders)) mkdirSync(path);
  const isolation = { levelRequired: "worktree", network, allowHosts: [] } as const;
  const sandbox = await make(folders, { limits, prices: new Map(), isolation, onBroken() {} });
  const launch = sandbox.launcher("agent");
  return {
    async run(): Promise<number> {
      const begun = performance.now();
      const end = await launch({
        argv: ["/bin/true"],
        cwd: folders.tree,
        environment: { PATH: path, HOME: folders.home },
        limits: { timeoutMs: 60_000, outputBytes: 1000 },
        signal: new AbortController().signal,
      });
      if (end.kind !== "exited" || end.code !== 0) throw new Error(JSON.stringify(end));
      return performance.now() - begun;
    },
    async close() {
      await sandbox[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

const ways = {
  worktree: await open(createWorktrees("worktree", models), "none"),
  sandbox: await open(sandboxes(models), "none"),
  "sandbox with a door": await open(sandboxes(models), "model_only"),
};
const times = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]));
for (let round = 0; round < rounds; round++)
  for (const [name, way] of Object.entries(ways)) times.get(name)?.push(await way.run());
for (const way of Object.values(ways)) await way.close();

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
const base = median(times.get("worktree") ?? []);
for (const [name, all] of times) {
  const middle = median(all);
  process.stdout.write(`${name.padEnd(22)}${middle.toFixed(1).padStart(7)} ms  +${(middle - base).toFixed(1)} ms\n`);
}
