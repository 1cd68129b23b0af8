/** The API of a repository's forge: its address, and the credential of the repo, read for each request. */
import { readAddress } from "../domain/repo-address.ts";
import type { RemoteRepo } from "../git/remote.ts";
import type { OpenAppCall } from "./app-tokens.ts";
import { createForgeCall, type ForgeAddress, type ForgeCall } from "./call.ts";
import { ForgeError } from "./forge.ts";
import { createLogReader, type ReadLog } from "./read-log.ts";

export type ForgeTransport = Pick<ForgeAddress, "resolve" | "timeoutMs" | "responseBytesMax"> & {
  readonly onAnswer: (provider: RemoteRepo["provider"], status: number | null) => void;
};

export interface ForgeAccess {
  /** Path of the repository, such as `acme/sum`. */
  readonly path: string;
  readonly call: ForgeCall;
  readonly readLog: ReadLog;
}

export function accessOf(repo: RemoteRepo, over: ForgeTransport): ForgeAccess {
  const { provider, credential } = repo;
  const { base, path } = apiOf(repo);
  const onAnswer = (status: number | null) => over.onAnswer(provider, status);
  const attempt = async <T>(work: (address: ForgeAddress) => Promise<T>): Promise<T> =>
    work({ ...over, base, onAnswer, headers: await headersOf(repo) });
  const reach: typeof attempt = async (work) => {
    try {
      return await attempt(work);
    } catch (error) {
      if (credential.kind !== "installation" || !(error instanceof ForgeError) || error.status !== 401) throw error;
      // The token was revoked before it expired. The request can be repeated, because a 401 had no effect.
      credential.forget();
      return attempt(work);
    }
  };
  return {
    path,
    call: (...request) => reach((address) => createForgeCall(address)(...request)),
    readLog: (log) => reach((address) => createLogReader(address)(log)),
  };
}

/** Calls the API as the app itself, to create its tokens. */
export function openAppCallWith(over: ForgeTransport): OpenAppCall {
  return (repo, authorization) => {
    const { base, path } = apiOf(repo);
    const onAnswer = (status: number | null) => over.onAnswer(repo.provider, status);
    return { call: createForgeCall({ ...over, base, headers: { Authorization: authorization }, onAnswer }), path };
  };
}

async function headersOf({ provider, credential }: RemoteRepo): Promise<Readonly<Record<string, string>>> {
  if (credential.kind === "none" || credential.kind === "ssh_key") return {};
  const token = credential.kind === "installation" ? await credential.token() : credential.token;
  return { Authorization: `${provider === "gitea" ? "token" : "Bearer"} ${token}` };
}

function apiOf({ provider, url }: Pick<RemoteRepo, "provider" | "url">): {
  readonly base: string;
  readonly path: string;
} {
  const { origin, path } = addressOf(url);
  if (provider === "gitlab") return { base: `${origin}/api/v4`, path };
  if (provider === "gitea") return { base: `${origin}/api/v1`, path };
  return { base: origin === "https://github.com" ? "https://api.github.com" : `${origin}/api/v3`, path };
}

/** A repository cloned over ssh has its API on the same host over HTTPS. */
function addressOf(url: string): { readonly origin: string; readonly path: string } {
  const canonical = readAddress(url)?.canonical ?? "";
  const path = canonical.slice(canonical.indexOf("/") + 1);
  if (/^https?:/.test(url)) return { origin: new URL(url).origin, path };
  return { origin: `https://${canonical.split("/")[0]?.split(":")[0] ?? ""}`, path };
}
