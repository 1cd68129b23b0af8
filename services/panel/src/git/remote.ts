import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CredentialSent, RepoProvider } from "@triptych/contracts";
import { GitError, type Environment, type Git, type Settings } from "@triptych/git";
import { ForgeError } from "../forges/forge.ts";
import { Unreachable, type Resolve } from "./addresses.ts";
import { panelGit } from "./git.ts";

export interface RemoteRepo {
  readonly owner: string;
  readonly id: string;
  readonly url: string;
  readonly provider: RepoProvider;
  readonly credential: RemoteCredential;
}

/** An app's key is exchanged for a token before each use. */
export type RemoteCredential = Exclude<CredentialSent, { readonly kind: "github_app" }> | InstallationCredential;

export interface InstallationCredential {
  readonly kind: "installation";
  /** Throws `ForgeError`. */
  token(): Promise<string>;
  /** After a refused request: the next one gets a new token. */
  forget(): void;
}

export interface Remotes {
  /** Calls `work` with a git for this repository. Throws `Unreachable` on errors and refusals. */
  reach<T>(repo: RemoteRepo, folder: string, work: (remote: Remote) => Promise<T>): Promise<T>;
}

export interface Remote {
  /** Refs by full name, including `HEAD`; with `symref`, the target of HEAD. */
  list(patterns: readonly string[]): Promise<RemoteRefs>;
  fetch(refspecs: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Creates the branch or fails; never moves an existing one. */
  create(branch: string, sha: string): Promise<PushAnswer>;
  /** Moves the branch from one commit to its descendant; fails where the branch is elsewhere. */
  advance(branch: string, sha: string, from: string): Promise<PushAnswer>;
}

export interface RemoteRefs {
  readonly refs: ReadonlyMap<string, string>;
  readonly defaultBranch: string | null;
}

export type PushAnswer =
  | { readonly kind: "done" }
  | { readonly kind: "taken" }
  /** Refused by a rule of the forge, so a retry does not help. */
  | { readonly kind: "refused"; readonly why: string };

/** For clones of large repositories over slow connections. */
const NETWORK_MS = 15 * 60_000;
const LIST_MS = 30_000;

export interface RemotesOptions {
  readonly resolve: Resolve;
  /** SSH host keys: trusted on first use, a changed one is refused. */
  readonly knownHosts: string;
  /** Temporary folder for ssh keys; leftovers of a killed process are swept. */
  readonly passing: string;
}

export function createRemotes(options: RemotesOptions): Remotes {
  return {
    async reach(repo, folder, work) {
      await using way = await openWay(repo, options);
      const git = panelGit(folder);
      try {
        return await work(remoteOf(git, repo.url, way));
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        throw new Unreachable((await tokenIssue(repo.credential)) ?? sentenceOf(error), { cause: error });
      }
    },
  };
}

/** Git only reports that a token was refused. Requesting a new one tells why; null if the forge issues it. */
async function tokenIssue(credential: RemoteCredential): Promise<string | null> {
  if (credential.kind !== "installation") return null;
  credential.forget();
  try {
    await credential.token();
    return null;
  } catch (error) {
    if (error instanceof ForgeError) return error.message;
    throw error;
  }
}

function remoteOf(git: Git, url: string, { settings, environment }: GitTransport): Remote {
  const over = { settings, environment };
  return {
    async list(patterns) {
      const listed = await git.run(["ls-remote", "--quiet", "--symref", "--", url, ...patterns], {
        ...over,
        timeoutMs: LIST_MS,
      });
      return readRefs(listed.toString("utf8"));
    },
    async fetch(refspecs, signal) {
      await git.run(
        ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--stdin", "--", url],
        {
          ...over,
          input: refspecs.map((refspec) => `${refspec}\n`).join(""),
          timeoutMs: NETWORK_MS,
          signal,
        },
      );
    },
    // An empty expectation: the branch must not exist.
    create: (branch, sha) => push(branch, sha, ""),
    // The caller has checked that `sha` descends from `from`: with the lease, this is always a fast-forward.
    advance: (branch, sha, from) => push(branch, sha, from),
  };

  async function push(branch: string, sha: string, expected: string): Promise<PushAnswer> {
    const ref = `refs/heads/${branch}`;
    const lease = `--force-with-lease=${ref}:${expected}`;
    const args = ["push", "--porcelain", "--no-verify", "--no-follow-tags", lease, "--", url, `${sha}:${ref}`];
    try {
      await git.run(args, { ...over, timeoutMs: NETWORK_MS });
      return { kind: "done" };
    } catch (error) {
      const answer = error instanceof GitError ? readRefusal(error, ref) : null;
      if (answer === null) throw error;
      return answer;
    }
  }
}

function readRefs(listed: string): RemoteRefs {
  const refs = new Map<string, string>();
  let defaultBranch: string | null = null;
  for (const line of listed.split("\n")) {
    const [first = "", name = ""] = line.split("\t");
    const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(first) ?? [];
    if (branch !== undefined && name === "HEAD") defaultBranch = branch;
    else if (name !== "") refs.set(name, first);
  }
  return { refs, defaultBranch };
}

/** `!<tab>from:to<tab>[rejected] (stale info)` of `--porcelain`; null if the push failed earlier. */
function readRefusal({ printed }: GitError, ref: string): PushAnswer | null {
  const line = printed.split("\n").find((text) => text.startsWith("!\t") && text.includes(ref));
  const why = line?.split("\t")[2];
  if (why === undefined) return null;
  if (why.startsWith("[rejected]") || /already exists|cannot lock ref|fetch first/.test(why)) return { kind: "taken" };
  // Forges report outages in the same form as rules; temporary errors are retried.
  if (/\[remote failure\]|internal|unpacker error|timed? ?out|try again/i.test(why)) return null;
  return { kind: "refused", why };
}

/** The last meaningful line of stderr. It contains no credentials, because addresses contain none. */
function sentenceOf({ stderr, message }: GitError): string {
  const all = stderr.split("\n").filter((line) => /^(?:fatal|error|remote):/.test(line));
  const telling = all.filter((line) => !line.includes("Could not read from remote repository"));
  const lines = telling.length > 0 ? telling : all;
  const text = (lines.at(-1) ?? stderr.split("\n").at(-1) ?? message) || message;
  return text.replace(/^(?:fatal|error): /, "").slice(0, 300);
}

interface GitTransport extends AsyncDisposable {
  readonly settings: Settings;
  readonly environment: Environment;
}

async function openWay(repo: RemoteRepo, options: RemotesOptions): Promise<GitTransport> {
  const nothing = { environment: {}, [Symbol.asyncDispose]: async () => {} };
  if (repo.url.startsWith("file://")) return { ...nothing, settings: { "protocol.file.allow": "always" } };
  if (/^https?:/.test(repo.url)) return { ...nothing, settings: await overHttp(repo, options) };
  return overSsh(repo, options);
}

async function overHttp({ url, credential, provider }: RemoteRepo, options: RemotesOptions): Promise<Settings> {
  const { hostname, port, protocol } = new URL(url);
  const address = await options.resolve(hostname);
  const at = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  const header = await authorizationOf(credential, provider);
  return {
    "protocol.http.allow": "always",
    "protocol.https.allow": "always",
    ...(address !== null && { "http.curloptResolve": `${hostname}:${at}:${address}` }),
    ...(header !== null && { [`http.${url}.extraHeader`]: `Authorization: ${header}` }),
  };
}

const TOKEN_USERS = {
  github: "x-access-token",
  gitlab: "oauth2",
  gitea: "oauth2",
  git: "git",
} as const satisfies Readonly<Record<RepoProvider, string>>;

async function authorizationOf(credential: RemoteCredential, provider: RepoProvider): Promise<string | null> {
  if (credential.kind === "none" || credential.kind === "ssh_key") return null;
  const basic = (user: string, token: string) => `Basic ${Buffer.from(`${user}:${token}`).toString("base64")}`;
  if (credential.kind !== "installation") return basic(credential.username ?? TOKEN_USERS[provider], credential.token);
  try {
    return basic(TOKEN_USERS.github, await credential.token());
  } catch (error) {
    if (error instanceof ForgeError) throw new Unreachable(error.message, { cause: error });
    throw error;
  }
}

async function overSsh({ url, credential }: RemoteRepo, options: RemotesOptions): Promise<GitTransport> {
  const scp = url.includes("://") ? null : /^(?:[^@]+@)?([^:]+):/.exec(url);
  const host = scp?.[1] ?? URL.parse(url)?.hostname ?? "";
  const address = await options.resolve(host);
  await mkdir(options.passing, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(options.passing, "ssh-"));
  const key = join(folder, "key");
  if (credential.kind === "ssh_key") await writeFile(key, ensureLineEnd(credential.private_key), { mode: 0o600 });
  const sshOptions = {
    BatchMode: "yes",
    IdentitiesOnly: "yes",
    ConnectTimeout: "15",
    StrictHostKeyChecking: "accept-new",
    UserKnownHostsFile: options.knownHosts,
    HostKeyAlias: host,
    ...(address !== null && { HostName: address.replace(/^\[|\]$/g, "") }),
    ...(credential.kind === "ssh_key" && { IdentityFile: key }),
  };
  const args = [
    "ssh",
    "-F",
    "/dev/null",
    ...Object.entries(sshOptions).flatMap(([name, value]) => ["-o", `${name}=${value}`]),
  ];
  return {
    settings: { "protocol.ssh.allow": "always" },
    environment: { GIT_SSH_COMMAND: args.map(quoted).join(" "), GIT_SSH_VARIANT: "ssh" },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** git passes this setting to a shell. */
function quoted(arg: string): string {
  return `'${arg.replaceAll("'", String.raw`'\''`)}'`;
}

function ensureLineEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
