/**
 * The product on real projects, through its public HTTP API alone: `npm run e2e:real-repos [-- name ...]`. Needs a registry and git; uses
 * a sandbox where one can be built. Prints a table and leaves nothing behind.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStage } from "../../test/support/product.ts";
import { startWorker } from "../processes.ts";
import { createClient, type Client } from "./client.ts";
import { judge, tableOf, type Verdict } from "./judge.ts";
import { makeRepository } from "./make-repository.ts";
import { PROJECTS, type Project } from "./projects.ts";

const REGISTRY = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
/** Of this machine: how programs reach the registry. */
const PASSED_ON = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];

const chosen = PROJECTS.filter(({ name }) => process.argv.length < 3 || process.argv.includes(name));
if (!(await answers(REGISTRY))) process.stdout.write(`Skipped: no registry answers at ${new URL(REGISTRY).origin}.\n`);
else process.exitCode = await main();

async function main(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "real-repos-"));
  try {
    await using stage = await openStage();
    const panel = await stage.startPanel({ PANEL_ALLOW_LOCAL_REPOS: "1" });
    const { panel: account } = JSON.parse(await readFile(join(stage.folder, "data", "credentials.json"), "utf8"));
    const passed = Object.fromEntries(
      PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    );
    const words = ["--panel", panel.url, "--allow-root", "--work-dir", join(folder, "worker")];
    await using _worker = await startWorker(words, { ...passed, PANEL_TOKEN: account.pro.license_key });
    const client = createClient(panel.url, account.pro.access_token);
    const verdicts: Verdict[] = [];
    for (const project of chosen) {
      const verdict = await tryProject(client, project, join(folder, project.name));
      verdicts.push(verdict);
      process.stdout.write(`${tableOf([verdict])}\n`);
    }
    process.stdout.write(`\n${tableOf(verdicts)}\n`);
    return judge(verdicts);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryProject(client: Client, project: Project, folder: string): Promise<Verdict> {
  const { name, isUncheckable = false } = project;
  const begun = performance.now();
  const done = (part: Partial<Verdict>): Verdict => ({
    name,
    isUncheckable,
    setup: null,
    baseline: "not run",
    candidates: [],
    mended: null,
    note: "",
    seconds: Math.round((performance.now() - begun) / 1000),
    ...part,
  });
  try {
    const bare = await makeRepository(project, folder);
    const repo = await client.add(`file://${bare}`);
    const candidates = await client.explore(repo.id);
    const command = await client.runCommand(repo.id);
    const mendable = candidates.find((one) => one.mendable);
    const mended = mendable === undefined ? null : await client.runCandidate(mendable.id);
    return done({
      setup: repo.setup,
      baseline: command.baseline,
      note: [command.result, mended?.result].filter((one) => one !== undefined).join("; "),
      candidates: candidates.map(({ title }) => title),
      mended: mended === null ? null : mended.isPushed,
    });
  } catch (error) {
    return done({ note: error instanceof Error ? error.message : String(error) });
  }
}

async function answers(registry: string): Promise<boolean> {
  const answer = await fetch(new URL("minimist/1.2.8", registry)).catch(() => null);
  return answer?.ok === true;
}
