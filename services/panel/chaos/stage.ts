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
  /** Each has its own forge. */
  readonly repos: number;
  readonly databaseUrl?: string | undefined;
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

export async function openStage(options: StageOptions): Promise<Stage> {
  const { onOutput, databaseUrl } = options;
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
    repos.push({ id: await client.addRepo({ url: `${forge.url}/acme/sum.git`, token: FORGE_TOKEN }), forge, bare });
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
