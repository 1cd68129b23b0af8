/** A panel in a process of its own, with accounts whose runs nobody holds up, and a client that keeps its connections. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChance, findPort } from "@triptych/rail/chaos";
import { pass } from "../chaos/asker.ts";
import { plantRepository } from "../chaos/plant-repository.ts";
import { runProgram, startProgram, type Program } from "../chaos/program.ts";

export interface BenchPanel extends AsyncDisposable {
  readonly url: string;
  readonly program: Program;
  readonly accounts: readonly BenchAccount[];
  untilItAnswers(): Promise<void>;
  /** Bytes of memory that the process holds now. */
  residentBytes(): Promise<number>;
}

export interface BenchAccount {
  readonly accessToken: string;
  readonly licenseKey: string;
  readonly repoIds: readonly string[];
}

export interface BenchPanelOptions {
  readonly accounts?: number;
  readonly reposOfEach?: number;
  readonly leaseS?: number;
  readonly databaseUrl?: string | undefined;
}

export async function openBenchPanel(options: BenchPanelOptions = {}): Promise<BenchPanel> {
  const { accounts = 1, reposOfEach = 1, leaseS = 45, databaseUrl } = options;
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "triptych-panel-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const port = await findPort(createChance(Date.now()));
  const environment = {
    TRIPTYCH_DATA: folder,
    TRIPTYCH_SECRET: "bench".repeat(8),
    NODE_ENV: "production",
    LOG_LEVEL: "warn",
    PANEL_PORT: String(port),
    PANEL_LEASE_S: String(leaseS),
    PANEL_ALLOW_PRIVATE_HOSTS: "1",
    PANEL_ALLOW_LOCAL_REPOS: "1",
    PANEL_RATE_ALL: "10000000",
    PANEL_RATE_RUNS: "10000000",
    PANEL_RATE_LICENSE: "10000000",
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  };
  const made: { access_token: string; license_key: string }[] = [];
  for (let number = 1; number <= accounts; number++) {
    const words = ["panel", "create-account", "--email", `bench-${number}@example.test`, "--plan", "team"];
    made.push(JSON.parse((await runProgram({ words, environment })).stdout));
  }
  const onOutput = (text: string) => void process.stderr.write(text);
  const program = opened.use(startProgram({ words: ["start", "panel"], environment, onOutput }));
  const url = `http://127.0.0.1:${port}`;
  const untilItAnswers = async () => {
    while (
      !(await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await pass(5);
  };
  await untilItAnswers();
  const ready = await Promise.all(
    made.map(async ({ access_token: accessToken, license_key: licenseKey }) => {
      const repoIds: string[] = [];
      for (let number = 1; number <= reposOfEach; number++) {
        const bare = join(folder, `bench-${number}.git`);
        plantRepository(bare);
        const body = { url: `file://${bare}`, provider: "git", isolation: { level_required: "worktree" } };
        const { id } = await ask({ url, accessToken }, "POST", "/api/repos", body);
        while ((await ask({ url, accessToken }, "GET", `/api/repos/${id}`)).status === "checking") await pass(5);
        repoIds.push(id);
      }
      return { accessToken, licenseKey, repoIds };
    }),
  );
  const parts = opened.move();
  return {
    url,
    program,
    accounts: ready,
    untilItAnswers,
    async residentBytes() {
      const status = await readFile(`/proc/${program.pid}/status`, "utf8");
      return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** The answer's JSON; throws when it is a refusal. */
export async function ask(
  { url, accessToken }: { readonly url: string; readonly accessToken: string },
  method: string,
  path: string,
  body?: unknown,
) {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${accessToken}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
  return JSON.parse(text);
}
