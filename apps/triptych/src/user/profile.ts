/** Profiles: addresses and credentials of the services, in `config.json` with mode 0600. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

export const SERVICES = ["panel", "directory", "gateway", "router", "rail"] as const;
export type ServiceName = (typeof SERVICES)[number];

export interface ServiceAccess {
  readonly url: string;
  readonly secret?: string;
  /** ID of a token that `triptych login` created; `triptych logout` revokes it. */
  readonly tokenId?: string;
}

export type Profile = Readonly<Partial<Record<ServiceName, ServiceAccess>>>;

export interface Config {
  /** Used without `--profile` and `TRIPTYCH_PROFILE`. */
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const EMPTY: Config = { current: "default", profiles: {} };
const NAME = /^[\w.-]{1,64}$/;

export function configFile(environment: Environment): string {
  const base = environment["XDG_CONFIG_HOME"] || join(environment["HOME"] || homedir(), ".config");
  return join(base, "triptych", "config.json");
}

export function readProfiles(environment: Environment): Config {
  const file = configFile(environment);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return EMPTY;
    throw error;
  }
  const config = parse(text);
  if (config === null) throw new Error(`${file} is not valid. Correct it, or remove it and sign in again.`);
  return config;
}

function parse(text: string): Config | null {
  try {
    const value: unknown = JSON.parse(text);
    return isConfig(value) ? value : null;
  } catch {
    // The parser's message quotes the text, which contains secrets.
    return null;
  }
}

function isConfig(value: unknown): value is Config {
  if (!isRecord(value) || typeof value["current"] !== "string" || !isRecord(value["profiles"])) return false;
  return Object.values(value["profiles"]).every(
    (profile) =>
      isRecord(profile) &&
      Object.values(profile).every((access) => isRecord(access) && typeof access["url"] === "string"),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Replaces the file atomically, so that a full disk cannot lose profiles. */
export function writeProfiles(environment: Environment, config: Config): void {
  const file = configFile(environment);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  chmodSync(part, 0o600);
  renameSync(part, file);
}

export function profileName(environment: Environment, option: string | undefined): string {
  const name = option || environment["TRIPTYCH_PROFILE"] || readProfiles(environment).current;
  if (!NAME.test(name)) throw new UsageError("A profile name has 1 to 64 letters, digits, `.`, `_` and `-`.");
  return name;
}

/** Merges into a profile; undefined values are removed. */
export function updateProfile(
  environment: Environment,
  name: string,
  changes: Partial<Record<ServiceName, ServiceAccess | undefined>>,
): void {
  const config = readProfiles(environment);
  const merged = Object.entries({ ...config.profiles[name], ...changes }).filter(([, access]) => access !== undefined);
  writeProfiles(environment, { ...config, profiles: { ...config.profiles, [name]: Object.fromEntries(merged) } });
}

/** The command was used incorrectly: exit code 2. */
export class UsageError extends Error {}
