/** Creates the demo of the account `pro`, once per store: a repo, a run and a scout. */
import { join } from "node:path";
import { newRepo } from "../http/repos.ts";
import { firstContact } from "../domain/reachability-checks.ts";
import { createRun, type CreateRunInput } from "../domain/create-run.ts";
import type { Repositories } from "../domain/repositories.ts";
import type { Panel } from "../domain/panel.ts";
import type { AccountRecord } from "../domain/records.ts";
import { readAddress } from "../domain/repo-address.ts";
import { demoFolder } from "../compose/panel.ts";
import { writeSlugger } from "./write-slugger.ts";

type LocalPanel = Omit<Panel, "url">;

const FOCUS = "Call foldMarks() wherever the deprecated stripMarks() is called.";

/** A tool instead of an agent: it needs no key and no network. */
const MAINTAIN: CreateRunInput = {
  kind: "maintain",
  team: {
    preset: "solo",
    members: [{ role: "coder", cli: "command", command: ["node", "codemods/fold-marks.js"] }],
  },
  trigger: { type: "demo", retryOf: null },
};

export interface DemoInput {
  readonly dataFolder: string;
  readonly account: AccountRecord;
  readonly hasWorker: boolean;
  readonly searchPath: string;
}

/** Needs no model and no network, because its findings come from the repository. */
const EXPLORE: CreateRunInput = {
  kind: "explore",
  explore: { scout: "scan" },
  trigger: { type: "demo", retryOf: null },
};

/** Returns the created run, or null. The scout waits for it: a repo has one run at a time. */
export async function makeDemo(
  panel: LocalPanel,
  { dataFolder, account, hasWorker, searchPath }: DemoInput,
): Promise<string | null> {
  const path = join(demoFolder(dataFolder), "slugger.git");
  await writeSlugger(path, searchPath);
  return panel.store.change(account.id, async (repositories) => {
    await once(panel, repositories, "demo repo", () => addRepo(panel, repositories, { account, path }));
    if (!hasWorker) return null;
    const runId = await once(panel, repositories, "demo run", () =>
      addRun(panel, repositories, { account, path }, MAINTAIN),
    );
    await once(panel, repositories, "demo explore", () => addRun(panel, repositories, { account, path }, EXPLORE));
    return runId;
  });
}

const FOR_EVER = Number.MAX_SAFE_INTEGER;

/** Recorded in the same commit, so that a demo that was removed is not created again. */
async function once<T>(
  panel: LocalPanel,
  { once: idempotency }: Repositories,
  mark: string,
  make: () => Promise<T>,
): Promise<T | null> {
  if ((await idempotency.find(mark, panel.now())) !== null) return null;
  await idempotency.keep({ key: mark, payload: "", answer: "", expiresAt: FOR_EVER });
  return make();
}

interface DemoLocation {
  readonly account: AccountRecord;
  readonly path: string;
}

async function addRepo(
  panel: LocalPanel,
  { repos, contacts }: Repositories,
  { account, path }: DemoLocation,
): Promise<void> {
  const address = readAddress(path);
  if (address === null) throw new Error(`${path} is not a repository address.`);
  if ((await repos.withAddress(address.canonical)) !== null) return;
  const settings = { focus: FOCUS, verify_cmd: "node --test", isolation: { level_required: "worktree" } } as const;
  const repo = newRepo(panel, account.id, { address, body: { url: path, name: "slugger", ...settings } });
  await repos.add(repo);
  await contacts.save(firstContact(repo.id, repo.createdAt));
}

async function addRun(
  panel: LocalPanel,
  repositories: Repositories,
  { account, path }: DemoLocation,
  input: CreateRunInput,
): Promise<string | null> {
  const address = readAddress(path);
  const repo = address === null ? null : await repositories.repos.withAddress(address.canonical);
  if (repo === null) return null;
  const making = {
    account,
    repo,
    id: panel.newId("run"),
    now: panel.now(),
    hasWorkers: true,
    isolationMin: panel.allows.isolationMin,
  };
  return (await createRun(repositories, input, making)).id;
}
