/**
 * What panel and worker both switch off wherever they call `git`: no hooks, no prompts, no settings of system or user, no file-system
 * monitor, no magic in paths, no redirects that would carry a credential elsewhere, and no protocol that was not asked for. What only
 * one of them wants stands with its own door to git. Settings travel in the environment: neither the list of processes nor a file
 * shows them.
 */

export type Environment = Readonly<Record<string, string>>;
/** A list is a setting that is given several times, in this order. */
export type Settings = Readonly<Record<string, string | readonly string[]>>;

export const HARDENED_GIT_ENV: Environment = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
};

export const QUIET_SETTINGS: Settings = {
  // Mirrors, quarantines and trees can be made again: what a crash takes of them costs a fetch, what waiting for the disk costs is every run.
  "core.fsync": "none",
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.askPass": "",
  // Names with accents are readable in diffs; control characters and quotes are escaped all the same.
  "core.quotePath": "false",
  "core.protectHFS": "true",
  "core.protectNTFS": "true",
  "credential.helper": "",
  "diff.ignoreSubmodules": "all",
  "submodule.recurse": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "http.followRedirects": "false",
  // One thread packs the same objects into the same bytes every time.
  "pack.threads": "1",
  "protocol.allow": "never",
};

/** Settings as git reads them from its environment. */
export function asEnvironment(settings: Settings): Environment {
  const entries = Object.entries(settings).flatMap(([key, value]) =>
    [value].flat().map((item) => [key, item] as const),
  );
  const named = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(named) };
}
