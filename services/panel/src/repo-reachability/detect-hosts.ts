/** Package hosts named in the lock file. Repository data is untrusted: each host is validated. */
import { DETECTED_HOSTS_MAX } from "@triptych/contracts";
import { isPrivateHost } from "../domain/repo-address.ts";
import type { RootFiles } from "./detect-commands.ts";

/** For `git grep`: download URLs in lock files of npm, yarn, pnpm and uv, without home pages. */
export const DOWNLOADS = String.raw`("resolved": "|resolved "|tarball: |url = ")https?://[^/" ]+/`;
export const LOCKS_WITH_HOSTS = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "uv.lock",
] as const;

/** Default of `npm help 7 config`. npm lock files may omit it; pnpm and bun always do. */
const NPM_REGISTRY = "registry.npmjs.org";
const NODE_LOCKS = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"];

/** Limit of `isolation.allow_hosts`. */
const HOST_MAX = 100;
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?(?::\d{1,5})?$/;

/** `setup` is the detected setup command: without one nothing is downloaded. */
export function detectHosts({ names, text, downloads }: RootFiles, setup: string | null): readonly string[] {
  if (setup === null) return [];
  const registries = registriesOf(text(".npmrc"));
  const named = [...downloads, ...registries].flatMap((line) => hostIn(line) ?? []);
  const hasNodeLock = NODE_LOCKS.some((name) => names.has(name));
  // npx fetches other package managers from npm's registry.
  const usesDefault = hasNodeLock && registries.length === 0 && (named.length === 0 || setup.startsWith("npx "));
  const hosts = usesDefault ? [...named, NPM_REGISTRY] : named;
  return [...new Set(hosts)].toSorted().slice(0, DETECTED_HOSTS_MAX);
}

function registriesOf(npmrc: string): readonly string[] {
  return [...npmrc.matchAll(/^(?:@[\w.-]+:)?registry\s*=\s*(https?:\/\/\S+)/gm)].flatMap(([, url = ""]) => url);
}

/** Null for an address, a local name or an invalid host. */
function hostIn(line: string): string | null {
  const [, host = ""] = /https?:\/\/(?:[^/@"]*@)?([^/"@\s]+)/.exec(line) ?? [];
  const name = host.toLowerCase();
  return name.length <= HOST_MAX && HOST.test(name) && !isPrivateHost(name) ? name : null;
}
