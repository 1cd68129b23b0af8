/**
 * The address of a repository: what is kept of it, which forge it seems to be, and one canonical form, so that a repository is in an
 * account once, however it is written. User and password are taken out: they are the credential.
 */
import { REPO_NAME_MAX, type CredentialSent, type RepoProvider } from "@triptych/contracts";

export interface RepoAddress {
  readonly url: string;
  readonly canonical: string;
  readonly name: string;
  readonly provider: RepoProvider;
  readonly credential: CredentialSent | null;
  /** On the disk of this machine, as the system opens it; null for all others. */
  readonly localPath: string | null;
  /** Null for local ones. */
  readonly host: string | null;
}

const SCP = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)([^\s]+)$/;
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "ssh:"]);

/** What browsers and others take for the scheme of an address, and git for the name of a host. */
const NO_HOST = /^(?:javascript|data|vbscript|blob|about|mailto|tel|file|ftps?|https?|ssh|git):/i;

/** Null where it is no address of a repository. */
export function readAddress(text: string): RepoAddress | null {
  // A folder may have a blank in its name.
  if (text.startsWith("/")) return localAddress(text);
  if (text.startsWith("file:///")) return localAddress(decoded(text.slice("file://".length)));
  if (text.startsWith("-") || /[\s\u0000-\u001f\u007f]/.test(text)) return null;
  const scp = text.includes("://") || NO_HOST.test(text) ? null : SCP.exec(text);
  const [, host = "", path = ""] = scp ?? [];
  if (scp !== null) return remoteAddress({ host, path, url: text });
  return urlAddress(text);
}

function urlAddress(text: string): RepoAddress | null {
  const url = URL.parse(text);
  if (url === null || !SCHEMES.has(url.protocol) || url.hostname === "") return null;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (user === null || password === null) return null;
  // The user of ssh is part of the address, never a secret.
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

/** `path` is judged as git will open it: in an address, git reads `%2e` as a dot. */
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

/** Of a path that is longer than a name may be, its end says more. */
function nameOf(path: string): string {
  return Array.from(path).slice(-REPO_NAME_MAX).join("");
}

/** By the name of the host alone; whoever has another says so in `provider`. */
function providerOf(host: string): RepoProvider {
  if (/(^|\.)github\./.test(host)) return "github";
  if (/(^|\.)gitlab\./.test(host)) return "gitlab";
  return /(^|\.)(gitea|forgejo|codeberg)\./.test(host) ? "gitea" : "git";
}

/**
 * Names and literal addresses of this machine, of private networks, and of what is no host of the internet at all (the registries of
 * RFC 6890: shared, benchmark and multicast nets, tunnels that lead to any address of IPv4). What a name resolves to is judged when it
 * is reached.
 */
export function isPrivateHost(host: string): boolean {
  // Of an address of IPv6 without brackets, the last group is no port.
  const name = host
    .replace(/^\[(.*)\](?::\d+)?$/, "$1")
    .replace(/^([^:]*):\d+$/, "$1")
    .replace(/\.$/, "");
  if (name === "localhost" || /\.(?:localhost|local|internal)$/.test(name)) return true;
  if (name.includes(":")) return !IN_USE.test(name) || TUNNEL.test(name);
  const parts = name.split(".").map(Number);
  const [first = Number.NaN, second = Number.NaN] = parts;
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255))) return false;
  if (first === 0 || first === 10 || first === 127 || first >= 224) return true;
  if (first === 172) return second >= 16 && second <= 31;
  if (first === 100) return second >= 64 && second <= 127;
  if (first === 198) return second === 18 || second === 19;
  if (first === 192) return second === 168 || (second === 0 && parts[2] === 0);
  return first === 169 && second === 254;
}

/** 2000::/3. */
const IN_USE = /^[23][\da-f]{3}:/i;
/** 2001::/23 and 2002::/16. */
const TUNNEL = /^(?:2002:|2001:(?::|[\da-f]{1,2}:|1[\da-f]{2}:))/i;

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
