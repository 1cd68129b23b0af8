/** A panel in a separate process, with accounts without plan limits, and a keep-alive client. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { findPort } from "@triptych/rail/chaos";
import { pass } from "../chaos/panel-client.ts";
import { createAccount, type MadeAccount } from "../chaos/create-account.ts";
import { plantRepository } from "../chaos/plant-repository.ts";
import { startProgram, type Program } from "../chaos/program.ts";

export interface BenchPanel extends AsyncDisposable {
  readonly url: string;
  readonly program: Program;
  readonly accounts: readonly BenchAccount[];
  untilReady(): Promise<void>;
  /** Resident memory in bytes. */
  residentBytes(): Promise<number>;
  /** CPU time of all threads so far: independent of the load of the machine. */
  processorMs(): Promise<number>;
}

export interface BenchAccount {
  readonly accessToken: string;
  readonly licenseKey: string;
  readonly repoIds: readonly string[];
}

/** Folders of a benchmark with several panels. */
export interface BenchLocation {
  readonly folder: string;
  readonly profile?: string | undefined;
}

export interface BenchPanelOptions extends BenchLocation {
  readonly accounts?: number;
  readonly reposOfEach?: number;
  readonly leaseS?: number;
}

/** The only agent of the swarm's workers. */
const TEAM = { preset: "solo", members: [{ role: "coder", cli: "command", command: ["true"] }] };

export async function openBenchPanel(options: BenchPanelOptions): Promise<BenchPanel> {
  const { accounts = 1, reposOfEach = 1, leaseS = 45, profile } = options;
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(options.folder, "panel-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const port = await findPort();
  const environment = {
    TRIPTYCH_DATA: folder,
    TRIPTYCH_SECRET: "secret of the panel benchmarks, 0123456789",
    PANEL_ISOLATION_MIN: "none",
    NODE_ENV: "production",
    LOG_LEVEL: "warn",
    PANEL_PORT: String(port),
    PANEL_LEASE_S: String(leaseS),
    PANEL_ALLOW_PRIVATE_HOSTS: "1",
    PANEL_ALLOW_LOCAL_REPOS: "1",
    PANEL_RATE_ALL: "10000000",
    PANEL_RATE_RUNS: "10000000",
    PANEL_RATE_LICENSE: "10000000",
  };
  const profiled: Readonly<Record<string, string>> =
    profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` };
  const made: MadeAccount[] = [];
  for (let number = 1; number <= accounts; number++)
    made.push(await createAccount(`bench-${number}@example.test`, environment));
  const onOutput = (text: string) => void process.stderr.write(text);
  const program = opened.use(
    startProgram({ args: ["start", "panel"], environment: { ...environment, ...profiled }, onOutput }),
  );
  const url = `http://127.0.0.1:${port}`;
  const untilReady = async () => {
    while (
      !(await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await pass(5);
  };
  await untilReady();
  const ready = await Promise.all(
    made.map(async ({ access_token: accessToken, license_key: licenseKey }) => {
      const repoIds: string[] = [];
      for (let number = 1; number <= reposOfEach; number++) {
        const bare = join(folder, `bench-${number}.git`);
        plantRepository(bare);
        const body = { url: `file://${bare}`, provider: "git", isolation: { level_required: "worktree" }, team: TEAM };
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
    untilReady,
    async residentBytes() {
      const status = await readFile(`/proc/${program.pid}/status`, "utf8");
      return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
    },
    async processorMs() {
      const { pid } = program;
      // After the name, which may contain any characters: fields 12 and 13 are ticks of 10 ms.
      const [, values = ""] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ");
      const [user = 0, system = 0] = values.split(" ").slice(11, 13).map(Number);
      return 10 * (user + system);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** The JSON of the response; throws on an error response. */
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
  if (!response.ok) throw new Error(`${method} ${path} failed with status ${response.status}: ${text}`);
  return JSON.parse(text);
}
