/** A panel and workers as processes, forges as servers, and their repositories. The forges survive: they are the evidence. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startForge, type Forge } from "@triptych/fake-forge";
import { findPort } from "@triptych/rail/chaos";
import { createPanelClient, type PanelClient } from "./panel-client.ts";
import { createAccount } from "./create-account.ts";
import { plantRepository } from "./plant-repository.ts";
import { startProgram, type Program } from "./program.ts";

export interface StageOptions {
  readonly workers: number;
  /** The number of repositories, each with its own forge. */
  readonly repos: number;
  readonly databaseUrl?: string | undefined;
  /** How many head commits of each pull request fail their check and need a follow-up. Default 0. */
  readonly redHeads?: number;
  readonly onOutput: (text: string) => void;
}

export interface Stage extends AsyncDisposable {
  readonly client: PanelClient;
  readonly panel: Program;
  readonly workers: readonly Program[];
  readonly repos: readonly StagedRepo[];
  /** Must never be printed, logged or returned. */
  readonly secrets: readonly string[];
}

export interface StagedRepo {
  readonly id: string;
  readonly forge: Forge;
  readonly bare: string;
}

const FORGE_TOKEN = "ghp_chaosChaosChaosChaosChaosChaosChaos0";
export const SLOTS = 4;
/** Short, so that expired leases do not delay the campaign, but longer than a worker restart. */
const LEASE_S = "8";
/** The shortest that the panel accepts. */
const FOLLOW_UP_POLL_S = "2";
/** An attempt also ends when its worker dies. */
export const ATTEMPTS_MAX = 10;
const FOLLOW_UP = { enabled: true, max_attempts: ATTEMPTS_MAX };

export async function openStage(options: StageOptions): Promise<Stage> {
  const { onOutput, databaseUrl, redHeads = 0 } = options;
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "triptych-chaos-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const port = await findPort();
  const environment = {
    TRIPTYCH_DATA: join(folder, "data"),
    TRIPTYCH_SECRET: "secret of the chaos runs, 0123456789",
    NODE_ENV: "production",
    LOG_LEVEL: "warn",
    PANEL_PORT: String(port),
    PANEL_LEASE_S: LEASE_S,
    PANEL_FOLLOW_UP_POLL_S: FOLLOW_UP_POLL_S,
    PANEL_ALLOW_PRIVATE_HOSTS: "1",
    PANEL_ISOLATION_MIN: "worktree",
    PANEL_RATE_ALL: "10000000",
    PANEL_RATE_RUNS: "10000000",
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  };
  const account = await createAccount("chaos@example.test", environment);
  const { access_token: accessToken, license_key: licenseKey } = account;
  const panel = opened.use(startProgram({ args: ["start", "panel"], environment, onOutput }));
  const url = `http://127.0.0.1:${port}`;
  const client = createPanelClient({ url, token: accessToken });
  await client.untilReady();

  const repos: StagedRepo[] = [];
  for (let number = 1; number <= options.repos; number++) {
    const root = join(folder, `forge-${number}`);
    const forge = opened.use(await startForge({ folder: root, token: FORGE_TOKEN }));
    const bare = join(root, "acme", "sum.git");
    plantRepository(bare);
    if (redHeads > 0) forge.discussion.onNewCommit = failFirst(forge, redHeads);
    const followUp = redHeads > 0 ? { followUp: FOLLOW_UP } : {};
    const id = await client.addRepo({ url: `${forge.url}/acme/sum.git`, token: FORGE_TOKEN, ...followUp });
    repos.push({ id, forge, bare });
  }
  const workers = Array.from({ length: options.workers }, (_, index) => {
    const name = `worker-${index + 1}`;
    const about = [
      "--panel",
      url,
      "--allow-root",
      "--name",
      name,
      "--slots",
      String(SLOTS),
      "--work-dir",
      join(folder, name),
    ];
    const own = { HOME: folder, PANEL_TOKEN: licenseKey };
    return opened.use(startProgram({ args: ["worker", ...about], environment: own, onOutput }));
  });
  const parts = opened.move();
  return {
    client,
    panel,
    workers,
    repos,
    secrets: [FORGE_TOKEN, licenseKey, accessToken, environment.TRIPTYCH_SECRET],
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** The check of the first heads of a pull request fails, with a log that differs for each. */
function failFirst({ pulls }: Forge, redHeads: number): Forge["discussion"]["onNewCommit"] {
  const heads = new Map<number, Set<string>>();
  return (sha) => {
    const pull = pulls.all.find(({ head }) => head.sha === sha);
    if (pull === undefined) return [];
    const seen = (heads.get(pull.number) ?? new Set()).add(sha);
    heads.set(pull.number, seen);
    if (seen.size > redHeads) return [{ name: "test", state: "passed" }];
    return [{ name: "test", state: "failed", log: `the check of ${sha} failed\n` }];
  };
}
