/** One look at a repository: does it answer, what is its branch, what may we do there, and, the first time, how is it checked. */
import type { ContactRecord } from "../domain/contacts.ts";
import { RECHECK_MS } from "../domain/contacts.ts";
import type { PanelStore } from "../domain/panel-store.ts";
import type { RepoRecord } from "../domain/records.ts";
import type { OpenRepo } from "../delivery/open-repo.ts";
import { ForgeFault } from "../forges/forge.ts";
import type { OpenForge } from "../forges/open-forge.ts";
import type { Mirrors } from "../git/mirrors.ts";
import { Unreachable, type RemoteRepo, type Remotes } from "../git/remote.ts";
import { detectVerify } from "./detect-verify.ts";

export interface CheckTools {
  readonly store: PanelStore;
  readonly openRepo: OpenRepo;
  readonly openForge: OpenForge;
  readonly remotes: Remotes;
  readonly mirrors: Mirrors;
  readonly now: () => number;
}

/** Writes what it saw into the repo and its contact. */
export type CheckRepo = (owner: string, contact: ContactRecord) => Promise<void>;

export function checkRepoWith(tools: CheckTools): CheckRepo {
  return async (owner, contact) => {
    const repo = await tools.openRepo(owner, contact.repoId);
    const seen = repo === null || repo.isRemoved ? null : await look(tools, repo, contact);
    await tools.store.change(owner, async ({ repos, contacts }) => {
      // Due again already: a new credential came meanwhile, and what was seen with the old one means nothing.
      if ((await contacts.find(contact.repoId))?.nextAt !== contact.nextAt) return;
      const present = await repos.find(contact.repoId);
      if (seen === null || present === null) return contacts.save({ ...contact, nextAt: null });
      const checkedAt = tools.now();
      const nextAt = seen.defaultBranch === null ? checkedAt + RECHECK_MS : null;
      const detectsVerify = contact.detectsVerify && seen.defaultBranch === null;
      await contacts.save({ ...contact, nextAt, checkedAt, canPush: seen.push, canOpenPr: seen.openPr, detectsVerify });
      const changed = withSeen(present, seen);
      if (JSON.stringify(changed) !== JSON.stringify(present)) await repos.save({ ...changed, updatedAt: checkedAt });
    });
  };
}

interface Seen {
  /** Null: it cannot be reached, and `why` says why. */
  readonly defaultBranch: string | null;
  readonly why: string | null;
  readonly push: boolean | null;
  readonly openPr: boolean | null;
  readonly verifyCmd: string | null;
}

async function look(tools: CheckTools, repo: RemoteRepo, { detectsVerify }: ContactRecord): Promise<Seen> {
  try {
    const { defaultBranch } = await tools.remotes.reach(repo, "/nonexistent", (remote) => remote.list(["HEAD"]));
    if (defaultBranch === null) return unreachable("The repository is empty: it has no branch to begin at.");
    const rights = (await rightsOf(tools, repo)) ?? { push: null, openPr: null };
    const wish = { repo, branch: defaultBranch, maxAgeMs: 0 };
    const verifyCmd = detectsVerify ? await tools.mirrors.use(wish, ({ git, sha }) => detectVerify(git, sha)) : null;
    return { defaultBranch, why: null, ...rights, verifyCmd };
  } catch (error) {
    if (error instanceof Unreachable) return unreachable(error.message);
    throw error;
  }
}

/** Git itself answered: an API that does not is no reason to call the repository unreachable. */
async function rightsOf({ openForge }: CheckTools, repo: RemoteRepo) {
  try {
    return await openForge(repo)?.checkCredential();
  } catch (error) {
    if (error instanceof ForgeFault) return null;
    throw error;
  }
}

function unreachable(why: string): Seen {
  return { defaultBranch: null, why, push: null, openPr: null, verifyCmd: null };
}

function withSeen(repo: RepoRecord, { defaultBranch, why, verifyCmd }: Seen): RepoRecord {
  const { settings, status } = repo;
  const state = defaultBranch === null ? "unreachable" : "active";
  return {
    ...repo,
    // What its owner paused stays so.
    status: status === "paused" ? status : state,
    statusReason: why,
    defaultBranch: defaultBranch ?? repo.defaultBranch,
    settings: { ...settings, verify_cmd: settings.verify_cmd ?? verifyCmd },
  };
}
