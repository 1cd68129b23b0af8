/** One task for one agent, and all its output, without a run. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentOf, type AnyCli } from "../../src/agents/clis.ts";
import type { AgentEnd, AgentItem, AgentTask } from "../../src/agents/agent.ts";
import type { ModelProxy } from "../../src/model-proxy/model-proxy.ts";
import { runProcess } from "../../src/process/run-process.ts";
import { type Usage, NO_USAGE } from "../../src/run/usage.ts";

export interface Worked {
  readonly items: readonly AgentItem[];
  readonly end: AgentEnd;
  readonly usage: Usage;
}

export interface Working extends Partial<Pick<AgentTask, "mode" | "model" | "prompt" | "tree">> {
  /** Started in place of the CLI. */
  readonly argv: readonly string[];
  /** After the first message. */
  readonly cancels?: boolean;
}

const MODEL_PROXY: ModelProxy = {
  addressOf: (provider) => `http://127.0.0.1:9/${provider}`,
  pass: "pass-of-this-run",
  spent: () => NO_USAGE,
  isEstimated: false,
  broken: null,
  async [Symbol.asyncDispose]() {},
};

export const TASK: AgentTask = {
  tree: "/tree",
  folder: "/notes",
  prompt: "Repair the sum",
  model: null,
  mode: "rw",
  round: 1,
  environment: {},
  isShutIn: false,
  modelProxy: MODEL_PROXY,
  limits: { timeoutMs: 60_000, silenceMs: 60_000 },
  launch: runProcess,
};

export async function workWith(cli: AnyCli, { argv, cancels = false, ...overrides }: Working): Promise<Worked> {
  const folder = mkdtempSync(join(tmpdir(), "agent-"));
  const paths = { tree: join(folder, "tree"), folder: join(folder, "notes"), home: join(folder, "home") };
  for (const path of Object.values(paths)) mkdirSync(path);
  try {
    const session = agentOf(cli, "program").start({
      ...TASK,
      tree: paths.tree,
      folder: paths.folder,
      environment: { PATH: process.env["PATH"] ?? "", HOME: paths.home },
      ...overrides,
      launch: (spec) => runProcess({ ...spec, argv, cwd: paths.tree }),
    });
    const items: AgentItem[] = [];
    for await (const item of session) {
      items.push(item);
      if (cancels) session.cancel();
    }
    return { items, end: session.end(), usage: session.usage() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const child = (name: string, ...args: readonly string[]): readonly string[] => [
  process.execPath,
  new URL(`../children/${name}.ts`, import.meta.url).pathname,
  ...args,
];
