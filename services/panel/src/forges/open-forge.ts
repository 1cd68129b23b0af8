/** The forge of a repo; null for plain git, which has no pull requests. */
import { readAddress } from "../domain/repo-address.ts";
import type { RemoteRepo } from "../git/remote.ts";
import { createForgeCall, type ForgeAddress } from "./call.ts";
import type { Forge } from "./forge.ts";
import { giteaPrReader } from "./gitea-reader.ts";
import { giteaForge } from "./gitea.ts";
import { githubPrReader } from "./github-reader.ts";
import { githubForge } from "./github.ts";
import { gitlabPrReader } from "./gitlab-reader.ts";
import { gitlabForge } from "./gitlab.ts";
import { conditionalRead, type PrMemory, type PrReader } from "./pr-reader.ts";
import { createLogReader } from "./read-log.ts";

export type OpenForge = (repo: RemoteRepo) => Forge | null;

type Over = Pick<ForgeAddress, "resolve" | "timeoutMs"> & {
  readonly onAnswer: (provider: RemoteRepo["provider"], status: number | null) => void;
};

export function openForgeWith(over: Over): OpenForge {
  return (repo) => {
    const { provider } = repo;
    if (provider === "git") return null;
    const { path, address } = forgeAddress(repo, provider, over);
    const call = createForgeCall(address);
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

type ForgeProvider = Exclude<RemoteRepo["provider"], "git">;

function forgeAddress(
  { url, credential }: RemoteRepo,
  provider: ForgeProvider,
  { resolve, timeoutMs, onAnswer }: Over,
): { readonly path: string; readonly address: ForgeAddress } {
  const { origin, path } = addressOf(url);
  const token = credential.kind === "token" || credential.kind === "basic" ? credential.token : null;
  const scheme = provider === "gitea" ? "token" : "Bearer";
  const headers: Readonly<Record<string, string>> = token === null ? {} : { Authorization: `${scheme} ${token}` };
  const base = apiOf(provider, origin);
  return { path, address: { base, headers, resolve, timeoutMs, onAnswer: (status) => onAnswer(provider, status) } };
}

/** Comments of people may be long; they are cut after the response was read. */
const READ_BYTES_MAX = 16 * 1024 * 1024;

/** Reads the state of pull requests; null for plain git. */
export type OpenPrReader = (repo: RemoteRepo, memory: PrMemory) => PrReader | null;

export function openPrReaderWith(over: Over): OpenPrReader {
  return (repo, memory) => {
    const { provider } = repo;
    if (provider === "git") return null;
    const counting: Over = {
      ...over,
      onAnswer(from, status) {
        memory.onRequest();
        over.onAnswer(from, status);
      },
    };
    const { path, address } = forgeAddress(repo, provider, counting);
    const call = createForgeCall({ ...address, responseBytesMax: READ_BYTES_MAX });
    const access = { call, read: conditionalRead(call, memory), readLog: createLogReader(address), repo: path };
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

function apiOf(provider: ForgeProvider, origin: string): string {
  if (provider === "github") return origin === "https://github.com" ? "https://api.github.com" : `${origin}/api/v3`;
  return provider === "gitlab" ? `${origin}/api/v4` : `${origin}/api/v1`;
}

/** A repository cloned over ssh has its API on the same host over HTTPS. */
function addressOf(url: string): { readonly origin: string; readonly path: string } {
  const canonical = readAddress(url)?.canonical ?? "";
  const path = canonical.slice(canonical.indexOf("/") + 1);
  if (/^https?:/.test(url)) return { origin: new URL(url).origin, path };
  return { origin: `https://${canonical.split("/")[0]?.split(":")[0] ?? ""}`, path };
}
