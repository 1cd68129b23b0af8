/**
 * A panel and a worker as processes, a forge with a red repository, and a scripted model: all on loopback, without the machine's keys.
 * One coding CLI takes the repository from red to an open pull request.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { startForge, type Forge } from "@triptych/fake-forge";
import { freePort, startPanel, startWorker, until } from "../processes.ts";
import { startModelServer, type ModelServer, type Script } from "./model-server.ts";

export interface Story {
  readonly forge: Forge;
  readonly model: ModelServer;
  readonly url: string;
  readonly repoId: string;
  /** The model's real key: only the model proxy may send it. */
  readonly key: string;
  ask<T>(path: string, body?: object): Promise<T>;
  /** Starts a run and returns it at its end. */
  run(settings: object): Promise<Run>;
  /** All output of the worker. */
  output(): string;
}

export interface Run {
  readonly id: string;
  readonly state: string;
  readonly result: { readonly code: string; readonly message: string } | null;
  readonly times: { readonly queued_at: string; readonly pushed_at: string | null };
  readonly isolation: { readonly level: string; readonly network: string };
  readonly usage: {
    readonly input_tokens: number;
    readonly turns: number;
    readonly by_role: object;
  };
  readonly verify: { readonly baseline: { readonly exit_code: number } | null; readonly verdict: string | null };
  readonly pr: { readonly number: number; readonly draft: boolean } | null;
  readonly warnings: readonly string[];
}

export interface StoryOptions {
  readonly cli: string;
  readonly script: Script;
  readonly isolation: "sandbox" | "worktree";
  /** A folder of CLIs that come before those in PATH. */
  readonly path: string;
  /** Settings of the repository besides the defaults. */
  readonly settings?: object;
  /** Variables of the panel. */
  readonly panel?: Readonly<Record<string, string>>;
}

const FORGE_TOKEN = "forge-token-of-the-story";
const ENDS = new Set(["pushed", "pr_open", "no_change", "failed", "cancelled", "expired", "lost"]);
const RUN_TIMEOUT_MS = 120_000;
const AUTHOR = ["-c", "user.name=Ada", "-c", "user.email=ada@example.test"];

export async function withStory(options: StoryOptions, callback: (story: Story) => Promise<void>): Promise<void> {
  await using open = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "e2e-cli-"));
  open.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const forge = open.use(await startForge({ folder: join(folder, "forge"), token: FORGE_TOKEN }));
  fillForge(forge, join(folder, "work"));
  const model = open.use(await startModelServer(options.script));
  const data = join(folder, "data");
  const panelPort = String(await freePort());
  open.use(
    await startPanel({
      TRIPTYCH_DATA: data,
      PANEL_PORT: panelPort,
      PANEL_EMBEDDED_WORKER: "0",
      PANEL_ALLOW_PRIVATE_HOSTS: "1",
      ...options.panel,
    }),
  );
  const { url, pro } = await credentialsIn(join(data, "credentials.json"));
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { Authorization: `Bearer ${pro["access_token"]}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer as T;
  };
  const key = "the-real-key-of-the-model";
  const worker = open.use(
    await startWorker(
      [
        "--panel",
        url,
        "--allow-root",
        "--agents",
        `command,${options.cli}`,
        "--isolation",
        options.isolation,
        "--work-dir",
        join(folder, "worker"),
      ],
      {
        PATH: `${options.path}${delimiter}${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`,
        PANEL_TOKEN: pro["license_key"] ?? "",
        OPENAI_API_KEY: key,
        OPENAI_BASE_URL: `${model.url}/v1`,
        ANTHROPIC_API_KEY: key,
        ANTHROPIC_BASE_URL: model.url,
        GEMINI_API_KEY: key,
        GOOGLE_GEMINI_BASE_URL: model.url,
      },
    ),
  );
  const repo = await ask<{ readonly id: string }>("/api/repos", {
    url: `${forge.url}/acme/sum.git`,
    provider: "github",
    credential: { kind: "token", token: FORGE_TOKEN },
    verify_cmd: "node sum.test.mjs",
    isolation: { level_required: options.isolation, network: "model_only" },
    ...options.settings,
  });
  await until("the repository is known", async () => {
    return (await ask<{ readonly status: string }>(`/api/repos/${repo.id}`)).status === "active";
  });

  await callback({
    forge,
    model,
    url,
    repoId: repo.id,
    key,
    ask,
    output: () => worker.output(),
    async run(settings) {
      const { id } = await ask<Run>(`/api/repos/${repo.id}/run`, settings);
      let run = await ask<Run>(`/api/runs/${id}`);
      const isOver = async () => {
        run = await ask<Run>(`/api/runs/${id}`);
        return ENDS.has(run.state) && (run.state !== "pushed" || run.warnings.length > 0);
      };
      await until("the run is over", isOver, RUN_TIMEOUT_MS);
      return run;
    },
  });
}

interface Credentials {
  readonly url: string;
  readonly pro: Readonly<Record<string, string>>;
}

/** The panel responds a moment before it writes its address. */
async function credentialsIn(file: string): Promise<Credentials> {
  let found: Partial<Credentials> = {};
  await until("the panel has written its credentials", async () => {
    found = JSON.parse(readFileSync(file, "utf8")).panel;
    return found.url !== undefined;
  });
  const { url = "", pro = {} } = found;
  return { url, pro };
}

/** The red repository: a sum that subtracts, and a test that detects it. */
function fillForge(forge: Forge, work: string): void {
  mkdirSync(work);
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", work, ...AUTHOR, ...args], { stdio: "pipe" });
  writeFileSync(join(work, "sum.mjs"), "export const sum = (a, b) => a - b;\n");
  writeFileSync(
    join(work, "sum.test.mjs"),
    'import { sum } from "./sum.mjs";\nif (sum(2, 3) !== 5) throw new Error(`sum(2, 3) is ${sum(2, 3)}`);\n',
  );
  git("init", "--quiet", "--template=", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=First");
  git("push", "--quiet", join(forge.folder, "acme", "sum.git"), "main");
}

/** Where `npm ci` of this folder installs its programs. */
export const OWN_PROGRAMS = fileURLToPath(new URL("node_modules/.bin", import.meta.url));
