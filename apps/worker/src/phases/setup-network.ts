/**
 * Detects a setup that installs packages without network access. Package managers retry for minutes. If a lock file proves that a download
 * is needed, the run ends immediately and names the setting.
 */
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../process/environment.ts";

/** One try per download: without a network, retries are useless. */
export const NO_RETRIES: Environment = {
  npm_config_fetch_retries: "0",
  PIP_RETRIES: "0",
  UV_HTTP_RETRIES: "0",
  CARGO_NET_RETRY: "0",
};

interface Installer {
  readonly command: RegExp;
  /** Lock file entries that require a download. */
  readonly locks: readonly (readonly [file: string, fetched: RegExp])[];
  /** A repository that contains one of these may vendor its packages. */
  readonly bundled: readonly string[];
}

const INSTALLERS: readonly Installer[] = [
  {
    command: /^npm\s+(?:ci|i|install|clean-install)\b/,
    locks: [
      ["package-lock.json", /"resolved": "https?:/],
      ["npm-shrinkwrap.json", /"resolved": "https?:/],
    ],
    bundled: ["node_modules"],
  },
  { command: /^pnpm\s+(?:i|install)\b/, locks: [["pnpm-lock.yaml", /integrity: sha/]], bundled: ["node_modules"] },
  {
    command: /^yarn(?:\s+install\b|\s+-|\s*$|\s*&&)/,
    locks: [["yarn.lock", /^\s+(?:integrity sha|checksum: )/m]],
    bundled: ["node_modules", ".yarn/cache", ".yarn/offline", "npm-packages-offline-cache"],
  },
  { command: /^bun\s+(?:i|install)\b/, locks: [["bun.lock", /"sha512-/]], bundled: ["node_modules"] },
  { command: /^uv\s+sync\b/, locks: [["uv.lock", /url = "https?:/]], bundled: [".venv"] },
  { command: /^poetry\s+install\b/, locks: [["poetry.lock", /hash = "sha/]], bundled: [".venv"] },
  { command: /^go\s+mod\s+download\b/, locks: [["go.sum", / h1:/]], bundled: ["vendor"] },
  { command: /^cargo\s+fetch\b/, locks: [["Cargo.lock", /source = "registry\+/]], bundled: ["vendor", ".cargo"] },
];

const MAY_INSTALL = /\b(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|go|cargo)\b/;
const OFFLINE = /--(?:prefer-)?offline\b|--no-index\b/;

/** Whether a failure of this command may come from the missing network. */
export function mayInstall(command: string): boolean {
  return MAY_INSTALL.test(command) && !OFFLINE.test(command);
}

/** Hosts from the lock file that must be reachable; null if setup may succeed offline. */
export async function neededHosts(command: string, tree: string): Promise<readonly string[] | null> {
  const installer = INSTALLERS.find((candidate) => candidate.command.test(command.trim()));
  if (installer === undefined || OFFLINE.test(command)) return null;
  for (const name of installer.bundled) if (await exists(join(tree, name))) return null;
  for (const [file, fetched] of installer.locks) {
    const text = await readFile(join(tree, file), "utf8").catch(() => "");
    if (fetched.test(text)) return hostsIn(text);
  }
  return null;
}

/** A message for people that says the cause and what to change. */
export function noNetworkMessage(network: string, hosts: readonly string[]): string {
  const named = hosts.length === 0 ? "the hosts of its package registry" : hosts.join(", ");
  return `setup has no network: isolation.network is ${network}. Set it to allow_list with ${named} in allow_hosts.`;
}

const HOSTS_MAX = 10;
/** Download URLs of packages, not home pages: the fields where lock files store them. */
const DOWNLOAD = /(?:"resolved": "|^\s+resolved "|tarball: |url = ")https?:\/\/([\w.-]+(?::\d+)?)\//gm;

function hostsIn(text: string): readonly string[] {
  const hosts = new Set([...text.matchAll(DOWNLOAD)].flatMap(([, host]) => (host === undefined ? [] : [host])));
  return [...hosts].toSorted().slice(0, HOSTS_MAX);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
