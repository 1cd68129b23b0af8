/**
 * The address of a repository: what is kept of it, which forge it seems to be, and one canonical form, so that a repository is in an
 * account once, however it is written. User and password are taken out: they are the credential.
 */
import type { CredentialSent, RepoProvider } from "@triptych/contracts";

export interface RepoAddress {
  readonly url: string;
  readonly canonical: string;
  readonly name: string;
  readonly provider: RepoProvider;
  readonly credential: CredentialSent | null;
  readonly isLocal: boolean;
  /** Null for local ones. */
  readonly host: string | null;
}

const SCP = /^(?:([\w.-]+)@)?([\w.-]+):(?!\/\/)([^\s]+)$/;
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "ssh:"]);

/** What browsers and others take for the scheme of an address, and git for the name of a host. */
const NO_HOST = /^(?:javascript|data|vbscript|blob|about|mailto|tel|file|ftps?|https?|ssh|git):/i;

/** Null where it is no address of a repository. */
export function readAddress(text: string): RepoAddress | null {
  if (text.startsWith("-") || /[\s\u0000-\u001f\u007f]/.test(text)) return null;
  if (text.startsWith("/") || text.startsWith("file:///")) return localAddress(text.replace(/^file:\/\//, ""));
  const scp = text.includes("://") || NO_HOST.test(text) ? null : SCP.exec(text);
  const [, user = "", host = "", path = ""] = scp ?? [];
  if (scp !== null) return remoteAddress({ host, path, url: text, user: user === "git" ? "" : user });
  return urlAddress(text);
}

function urlAddress(text: string): RepoAddress | null {
  const url = URL.parse(text);
  if (url === null || !SCHEMES.has(url.protocol) || url.hostname === "" || url.hostname.startsWith("-")) return null;
  const [user, password] = [url.username, url.password].map(decoded);
  if (user === null || password === null || user === undefined || password === undefined) return null;
  // The user of ssh is part of the address, never a secret.
  const isSsh = url.protocol === "ssh:";
  if (!isSsh) url.username = "";
  url.password = "";
  url.hash = "";
  const credential = isSsh && password === "" ? null : credentialOf(user, password);
  const address = remoteAddress({ host: url.host, path: url.pathname, url: url.href, user: isSsh ? user : "" });
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
  readonly user: string;
}

function remoteAddress({ host, path, url }: Remote): RepoAddress | null {
  const plain = path
    .replace(/^\/+/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  if (plain === "" || plain.startsWith("-")) return null;
  const at = host.toLowerCase();
  return {
    url,
    canonical: `${at}/${plain}`,
    name: plain,
    provider: providerOf(at),
    credential: null,
    isLocal: false,
    host: at,
  };
}

function localAddress(path: string): RepoAddress | null {
  const plain = path.replace(/\/+$/, "");
  const name =
    plain
      .split("/")
      .at(-1)
      ?.replace(/\.git$/, "") ?? "";
  if (name === "" || plain.split("/").includes("..")) return null;
  return {
    url: `file://${plain}`,
    canonical: `file:${plain}`,
    name,
    provider: "git",
    credential: null,
    isLocal: true,
    host: null,
  };
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
