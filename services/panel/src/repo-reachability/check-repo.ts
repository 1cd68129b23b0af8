/** Checks a repository: reachability, default branch, permissions and, the first time, its commands. */
import type { AiFinding } from "@triptych/change-policy";
import type { DetectedSetting, RepoSettings } from "@triptych/contracts";
import type { ContactRecord } from "../domain/reachability-checks.ts";
import { RECHECK_MS } from "../domain/reachability-checks.ts";
import type { PanelStore } from "../domain/repositories.ts";
import type { RepoRecord } from "../domain/records.ts";
import { newCheck } from "../domain/repo-checks.ts";
import { withFinding } from "../domain/ai-policy.ts";
import { readAiPolicy } from "../delivery/guidelines.ts";
import { secretsOf, type OpenRepo } from "../delivery/open-repo.ts";
import { ForgeError } from "../forges/forge.ts";
import type { OpenForge } from "../forges/open-forge.ts";
import type { Mirrors } from "../git/mirrors.ts";
import { type RemoteRepo, type Remotes } from "../git/remote.ts";
import { detectCommands, type DetectedCommands } from "./detect-commands.ts";
import { detectHosts } from "./detect-hosts.ts";
import { readRootFiles } from "./root-files.ts";
import { Unreachable } from "../git/addresses.ts";

export interface CheckTools {
  readonly store: PanelStore;
  readonly openRepo: OpenRepo;
  readonly openForge: OpenForge;
  readonly remotes: Remotes;
  readonly mirrors: Mirrors;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly checksRepos: boolean;
}

export type CheckRepo = (owner: string, contact: ContactRecord) => Promise<void>;

export function checkRepoWith(tools: CheckTools): CheckRepo {
  return async (owner, contact) => {
    const repo = await tools.openRepo(owner, contact.repoId);
    const seen = repo === null || repo.isRemoved ? null : await inspect(tools, repo, contact);
    await tools.store.change(owner, async ({ repos, contacts, checks }) => {
      // A new credential has arrived in the meantime: drop the result of the old one.
      if ((await contacts.find(contact.repoId))?.nextAt !== contact.nextAt) return;
      const present = await repos.find(contact.repoId);
      if (seen === null || present === null) return contacts.save({ ...contact, nextAt: null });
      const checkedAt = tools.now();
      const nextAt = seen.defaultBranch === null ? checkedAt + RECHECK_MS : null;
      const checked = { nextAt, checkedAt, canPush: seen.push, canOpenPr: seen.openPr };
      const aiPolicy =
        seen.finding === null ? present.aiPolicy : withFinding(present.aiPolicy, seen.finding, checkedAt);
      const changed = withObservation(present, seen);
      const { detects, detected } = detectedBy(contact, present.settings, seen);
      const hosts = seen.hosts.length > 0 ? seen.hosts : contact.hosts;
      await contacts.save({ ...contact, ...checked, ...detects, detected, hosts });
      const isFirst = detected.length > contact.detected.length && contact.detectsVerify && contact.detectsSetup;
      if (isFirst && tools.checksRepos)
        await checks.save(newCheck(changed, { id: tools.newId("chk"), now: checkedAt }));
      if (JSON.stringify(changed) !== JSON.stringify(present)) await repos.save({ ...changed, updatedAt: checkedAt });
      if (aiPolicy !== null && aiPolicy !== present.aiPolicy) await repos.notePolicy(present.id, aiPolicy);
    });
  };
}

interface Inspection {
  readonly defaultBranch: string | null;
  readonly why: string | null;
  readonly push: boolean | null;
  readonly openPr: boolean | null;
  readonly commands: DetectedCommands;
  readonly hosts: readonly string[];
  readonly finding: AiFinding | null;
}

const NO_COMMANDS: DetectedCommands = { setup_cmd: null, verify_cmd: null };

async function inspect(tools: CheckTools, repo: RemoteRepo, contact: ContactRecord): Promise<Inspection> {
  try {
    const { defaultBranch } = await tools.remotes.reach(repo, "/nonexistent", (remote) => remote.list(["HEAD"]));
    if (defaultBranch === null) return unreachable("The repository is empty: it has no branch to start from.");
    const rights = (await rightsOf(tools, repo)) ?? { push: null, openPr: null };
    const request = { repo, branch: defaultBranch, maxAgeMs: 0 };
    // Hosts are detected even where the owner named both commands.
    const detects = contact.detectsVerify || contact.detectsSetup || contact.checkedAt === null;
    // Always fetched, so that an oversized repository is found now and not by its first run.
    const { files, finding } = await tools.mirrors.use(request, async ({ git, sha }) => ({
      files: detects ? await readRootFiles(git, sha) : null,
      finding: await readAiPolicy(git, sha, secretsOf(repo)),
    }));
    const { setup_cmd, verify_cmd } = files === null ? NO_COMMANDS : detectCommands(files);
    const commands = {
      setup_cmd: contact.detectsSetup ? setup_cmd : null,
      verify_cmd: contact.detectsVerify ? verify_cmd : null,
    };
    const hosts = files === null ? [] : detectHosts(files, setup_cmd);
    return { defaultBranch, why: null, ...rights, commands, hosts, finding };
  } catch (error) {
    if (error instanceof Unreachable) return unreachable(error.message);
    throw error;
  }
}

/** Git has responded, so an API error does not make the repository unreachable. */
async function rightsOf({ openForge }: CheckTools, repo: RemoteRepo) {
  try {
    return await openForge(repo)?.checkCredential();
  } catch (error) {
    if (error instanceof ForgeError) return null;
    throw error;
  }
}

function unreachable(why: string): Inspection {
  return { defaultBranch: null, why, push: null, openPr: null, commands: NO_COMMANDS, hosts: [], finding: null };
}

/** Detected once, at the first contact. A command that the owner has set meanwhile stays. */
function detectedBy(contact: ContactRecord, settings: RepoSettings, { defaultBranch, commands }: Inspection) {
  const isUnreached = defaultBranch === null;
  const detects = {
    detectsVerify: contact.detectsVerify && isUnreached,
    detectsSetup: contact.detectsSetup && isUnreached,
  };
  const { setup_cmd, verify_cmd } = commands;
  const detected: DetectedSetting[] = [...contact.detected];
  if (setup_cmd !== null && settings.verify.setup_cmd === null) detected.push("setup_cmd");
  if (verify_cmd !== null && settings.verify_cmd === null) detected.push("verify_cmd");
  return { detects, detected };
}

function withObservation(repo: RepoRecord, { defaultBranch, why, commands }: Inspection): RepoRecord {
  const { settings, status } = repo;
  const state = defaultBranch === null ? "unreachable" : "active";
  return {
    ...repo,
    // A repo paused by its owner stays paused.
    status: status === "paused" ? status : state,
    statusReason: why,
    defaultBranch: defaultBranch ?? repo.defaultBranch,
    settings: {
      ...settings,
      verify_cmd: settings.verify_cmd ?? commands.verify_cmd,
      verify: { ...settings.verify, setup_cmd: settings.verify.setup_cmd ?? commands.setup_cmd },
    },
  };
}
