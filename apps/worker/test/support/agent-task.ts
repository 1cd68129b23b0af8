/** One task for one agent, and all that it said: without a run around it. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentOf, type AnyCli } from "../../src/agents/clis.ts";
import type { AgentEnd, AgentItem, AgentTask, Usage } from "../../src/agents/agent.ts";
import type { ModelDoor } from "../../src/model-proxy/model-proxy.ts";
import { runProcess } from "../../src/process/run-process.ts";
import { NO_USAGE } from "../../src/agents/agent.ts";

export interface Worked {
  readonly items: readonly AgentItem[];
  readonly end: AgentEnd;
  readonly usage: Usage;
}

export interface Working extends Partial<Pick<AgentTask, "mode" | "model" | "prompt" | "tree">> {
  /** Started in the place of the CLI. */
  readonly argv: readonly string[];
  /** After the first message. */
  readonly cancels?: boolean;
}

const DOOR: ModelDoor = {
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
  door: DOOR,
  limits: { timeoutMs: 60_000, silenceMs: 60_000 },
  launch: runProcess,
};

export async function workWith(cli: AnyCli, { argv, cancels = false, ...given }: Working): Promise<Worked> {
  const folder = mkdtempSync(join(tmpdir(), "agent-"));
  const places = { tree: join(folder, "tree"), folder: join(folder, "notes"), home: join(folder, "home") };
  for (const place of Object.values(places)) mkdirSync(place);
  try {
    const session = agentOf(cli, "program").start({
      ...TASK,
      tree: places.tree,
      folder: places.folder,
      environment: { PATH: process.env["PATH"] ?? "", HOME: places.home },
      ...given,
      launch: (order) => runProcess({ ...order, argv, cwd: places.tree }),
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

export const child = (name: string, ...words: readonly string[]): readonly string[] => [
  process.execPath,
  new URL(`../children/${name}.ts`, import.meta.url).pathname,
  ...words,
];
