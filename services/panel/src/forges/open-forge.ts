/** The forge of a repo; null for plain git, which has no pull requests. */
import type { RemoteRepo } from "../git/remote.ts";
import { checkRunsOf, type CheckRuns } from "./check-runs.ts";
import { accessOf, type ForgeTransport } from "./forge-access.ts";
import type { Forge } from "./forge.ts";
import { giteaPrReader } from "./gitea-reader.ts";
import { giteaForge } from "./gitea.ts";
import { githubPrReader } from "./github-reader.ts";
import { githubForge } from "./github.ts";
import { gitlabPrReader } from "./gitlab-reader.ts";
import { gitlabForge } from "./gitlab.ts";
import { conditionalRead, type PrMemory, type PrReader } from "./pr-reader.ts";

export type OpenForge = (repo: RemoteRepo) => Forge | null;

export function openForgeWith(over: ForgeTransport): OpenForge {
  return (repo) => {
    const { provider } = repo;
    if (provider === "git") return null;
    const { call, path } = accessOf(repo, over);
    switch (provider) {
      case "github":
        return githubForge(call, path);
      case "gitlab":
        return gitlabForge(call, path);
      case "gitea":
        return giteaForge(call, path);
    }
  };
}

/** Null without an app: GitHub lets no other credential write checks. */
export type OpenCheckRuns = (repo: RemoteRepo) => CheckRuns | null;

export function openCheckRunsWith(over: ForgeTransport): OpenCheckRuns {
  return (repo) => {
    if (repo.credential.kind !== "installation") return null;
    const { call, path } = accessOf(repo, over);
    return checkRunsOf(call, path);
  };
}

/** People's comments may be long; they are truncated after the response was read. */
const READ_BYTES_MAX = 16 * 1024 * 1024;

/** Reads the state of pull requests; null for plain git. */
export type OpenPrReader = (repo: RemoteRepo, memory: PrMemory) => PrReader | null;

export function openPrReaderWith(over: ForgeTransport): OpenPrReader {
  return (repo, memory) => {
    const { provider } = repo;
    if (provider === "git") return null;
    const { call, readLog, path } = accessOf(repo, {
      ...over,
      responseBytesMax: READ_BYTES_MAX,
      onAnswer(from, status) {
        memory.onRequest();
        over.onAnswer(from, status);
      },
    });
    const access = { call, read: conditionalRead(call, memory), readLog, repo: path };
    switch (provider) {
      case "github":
        return githubPrReader(access);
      case "gitlab":
        return gitlabPrReader(access);
      case "gitea":
        return giteaPrReader(access);
    }
  };
}
