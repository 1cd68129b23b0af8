/**
 * Parses the address of a repository: stored form, likely forge, and a canonical form that makes a repository unique in an account. User
 * and password are removed: they are the credential.
 */
import { REPO_NAME_MAX, type CredentialSent, type RepoProvider } from "@triptych/contracts";
import { scopeOfAddress } from "@triptych/util/addresses";

export interface RepoAddress {
  readonly url: string;
  readonly canonical: string;
  readonly name: string;
  readonly provider: RepoProvider;
  readonly credential: CredentialSent | null;
  /** Path on this machine; null for remote repositories. */
  readonly localPath: string | null;
  readonly host: string | null;
}

const SCP = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)([^\s]+)$/;
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "ssh:"]);

/** Browsers read these as a scheme, git as a host name. */
const NO_HOST = /^(?:javascript|data|vbscript|blob|about|mailto|tel|file|ftps?|https?|ssh|git):/i;

/** `ext::sh -c …`, `fd::17`: git would start a program or read an open file. */
const TRANSPORT = /^[^/]*::/;
/** Hosts of ssh addresses are not decoded: `%2d` would become the dash of an option. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i;

/** Queries may contain tokens; a fragment never reaches a server. New repos may have neither; some stored ones have a query. */
export function hasQuery(text: string): boolean {
  return !text.startsWith("/") && !text.startsWith("file:///") && /[?#]/.test(text);
}

export function readAddress(text: string): RepoAddress | null {
  // A folder name may contain a space.
  if (text.startsWith("/")) return localAddress(text);
  if (text.startsWith("file:///")) return localAddress(decoded(text.slice("file://".length)));
  if (text.startsWith("-") || /[\s\u0000-\u001f\u007f]/.test(text)) return null;
  if (TRANSPORT.test(text)) return null;
  const scp = text.includes("://") || NO_HOST.test(text) ? null : SCP.exec(text);
  const [, host = "", path = ""] = scp ?? [];
  if (scp !== null) return remoteAddress({ host, path, url: text });
  return urlAddress(text);
}

function urlAddress(text: string): RepoAddress | null {
  const url = URL.parse(text);
  if (url === null || !SCHEMES.has(url.protocol) || !HOST.test(url.hostname)) return null;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (user === null || password === null) return null;
  // The ssh user is part of the address, never a secret.
  const isSsh = url.protocol === "ssh:";
  if (isSsh && user.startsWith("-")) return null;
  if (!isSsh) url.username = "";
  url.password = "";
  url.hash = "";
  const credential = isSsh && password === "" ? null : credentialOf(user, password);
  const host = isSsh && url.port === "22" ? url.hostname : url.host;
  const address = remoteAddress({ host, path: url.pathname, url: url.href });
  return address && { ...address, credential };
}

function credentialOf(username: string, password: string): CredentialSent | null {
  if (password !== "") return { kind: "basic", username, token: password };
  return username === "" ? null : { kind: "token", token: username };
}

interface Remote {
  readonly host: string;
  readonly path: string;
  readonly url: string;
}

function remoteAddress({ host, path, url }: Remote): RepoAddress | null {
  const plain = path
    .replace(/^\/+/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  if (plain === "" || plain.startsWith("-") || host.startsWith("-")) return null;
  const at = host.toLowerCase();
  return {
    url,
    canonical: `${at}/${plain}`,
    name: nameOf(plain),
    provider: providerOf(at),
    credential: null,
    localPath: null,
    host: at,
  };
}

/** Validates `path` as git will open it: in an address, git decodes `%2e` to a dot. */
function localAddress(path: string | null): RepoAddress | null {
  if (path === null || /[\u0000-\u001f\u007f]/.test(path)) return null;
  const plain = path.replace(/\/+$/, "");
  const steps = plain.split("/");
  const name = steps.at(-1)?.replace(/\.git$/, "") ?? "";
  if (name === "" || steps.includes("..")) return null;
  return {
    url: `file://${plain.replaceAll(/[%\s]/g, encodeURIComponent)}`,
    canonical: `file:${plain}`,
    name: nameOf(name),
    provider: "git",
    credential: null,
    localPath: plain,
    host: null,
  };
}

/** Keeps the end of a path that is too long, because the end is more specific. */
function nameOf(path: string): string {
  return Array.from(path).slice(-REPO_NAME_MAX).join("");
}

/** Decides by host name only; for other hosts, the owner sets `provider`. */
function providerOf(host: string): RepoProvider {
  if (/(^|\.)github\./.test(host)) return "github";
  if (/(^|\.)gitlab\./.test(host)) return "gitlab";
  return /(^|\.)(gitea|forgejo|codeberg)\./.test(host) ? "gitea" : "git";
}

/**
 * Names and literal addresses of this machine, private networks and hosts outside the internet, see `scopeOfAddress`. Resolved addresses
 * are checked on connect.
 */
export function isPrivateHost(host: string): boolean {
  // In an IPv6 address without brackets, the last group is not a port.
  const name = host
    .replace(/^\[(.*)\](?::\d+)?$/, "$1")
    .replace(/^([^:]*):\d+$/, "$1")
    .replace(/\.$/, "");
  if (name === "localhost" || /\.(?:localhost|local|internal)$/.test(name)) return true;
  const scope = scopeOfAddress(name);
  return scope === "private" || (scope === null && name.includes(":"));
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
