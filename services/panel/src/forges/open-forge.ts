/** The forge of a repo; null for plain git, which has no pull requests. */
import { readAddress } from "../domain/repo-address.ts";
import type { RemoteRepo } from "../git/remote.ts";
import { createForgeCall, type ForgeAddress } from "./call.ts";
import type { Forge } from "./forge.ts";
import { giteaForge } from "./gitea.ts";
import { githubForge } from "./github.ts";
import { gitlabForge } from "./gitlab.ts";

export type OpenForge = (repo: RemoteRepo) => Forge | null;

type Over = Pick<ForgeAddress, "resolve" | "timeoutMs"> & {
  readonly onAnswer: (provider: RemoteRepo["provider"], status: number | null) => void;
};

export function openForgeWith({ resolve, timeoutMs, onAnswer }: Over): OpenForge {
  return (repo) => {
    const { provider, credential } = repo;
    if (provider === "git") return null;
    const { origin, path } = addressOf(repo.url);
    const token = credential.kind === "token" || credential.kind === "basic" ? credential.token : null;
    const scheme = provider === "gitea" ? "token" : "Bearer";
    const headers: Readonly<Record<string, string>> = token === null ? {} : { Authorization: `${scheme} ${token}` };
    const call = createForgeCall({
      base: apiOf(provider, origin),
      headers,
      resolve,
      timeoutMs,
      onAnswer: (status) => onAnswer(provider, status),
    });
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

function apiOf(provider: "github" | "gitlab" | "gitea", origin: string): string {
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
