/**
 * The environment of every git process. Disables hooks, prompts, configuration files, the file-system monitor, path
 * magic and redirects that could leak credentials, and restricts protocols. Settings are passed in the environment, so
 * that they appear neither in process lists nor in files.
 */

export type Environment = Readonly<Record<string, string>>;
/** A list sets the key several times, in this order. */
export type Settings = Readonly<Record<string, string | readonly string[]>>;

const HARDENED: Environment = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
};

const QUIET_SETTINGS: Settings = {
  // Mirrors, quarantines and trees can be recreated. A crash costs one fetch; syncing would slow down every run.
  "core.fsync": "none",
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.askPass": "",
  // Keeps accents readable in diffs; control characters and quotes are still escaped.
  "core.quotePath": "false",
  "core.protectHFS": "true",
  "core.protectNTFS": "true",
  "credential.helper": "",
  "diff.ignoreSubmodules": "all",
  "submodule.recurse": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "http.followRedirects": "false",
  // With one thread, the same objects are always packed into identical bytes.
  "pack.threads": "1",
  "protocol.allow": "never",
};

/**
 * `environment` has the variables that git needs from the machine, such as PATH. `settings` are added to the defaults
 * above.
 */
export function gitEnvironment({
  environment,
  settings,
}: {
  readonly environment: Environment;
  readonly settings: Settings;
}): Environment {
  return { ...environment, ...HARDENED, ...asEnvironment({ ...QUIET_SETTINGS, ...settings }) };
}

function asEnvironment(settings: Settings): Environment {
  const entries = Object.entries(settings).flatMap(([key, value]) =>
    [value].flat().map((item) => [key, item] as const),
  );
  const named = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(named) };
}
