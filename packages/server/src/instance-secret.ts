/**
 * The secrets that encrypt stored values: TRIPTYCH_SECRET or, outside production, a generated key file in the data
 * folder. During a rotation, a previous secret is used for decryption only. Without the secrets, stored values are
 * lost; back them up separately.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError, issuesOfSecrets, SECRET_MIN_LENGTH, type SecretConfig } from "@triptych/config";
import { secretFile } from "./secret-file.ts";

export interface InstanceSecretOptions {
  readonly config: SecretConfig;
  readonly dataFolder: string;
  /**
   * Production requires a configured secret: a generated one is easily lost, or ends up in a backup next to the data.
   */
  readonly isProduction: boolean;
}

/** Newest first; returns the same list until it changes. `reload` rereads the files immediately. */
export type InstallationSecrets = (reload?: "reload") => readonly [string, ...string[]];

export const SECRET_FILE = "secret-key";
export const PREVIOUS_SECRET_FILE = "secret-key.previous";

/** After a rotation begins, a process may still encrypt with the previous secret for this long. */
export const SECRET_RELOAD_MS = 1_000;

export async function installationSecrets({
  config,
  dataFolder,
  isProduction,
}: InstanceSecretOptions): Promise<InstallationSecrets> {
  const issues = issuesOfSecrets(config, isProduction);
  if (issues.length > 0) throw new ConfigError(issues);
  const { TRIPTYCH_SECRET: secret, TRIPTYCH_SECRET_PREVIOUS: previous } = config;
  if (secret !== undefined) {
    const list: readonly [string, ...string[]] = previous === undefined ? [secret] : [secret, previous];
    return () => list;
  }
  const first = await secretFile({
    path: join(dataFolder, SECRET_FILE),
    make: newSecret,
    isWhole,
    remedy: "Restore it from a backup, or set TRIPTYCH_SECRET.",
  });
  return watchFiles(dataFolder, first);
}

/** Rereads the files when they change, so that a rotation reaches running services. */
function watchFiles(dataFolder: string, first: string): InstallationSecrets {
  let list: readonly [string, ...string[]] = [first];
  let seen = "";
  let checkedAt = -Infinity;
  return (reload) => {
    const now = performance.now();
    if (reload === undefined && now - checkedAt < SECRET_RELOAD_MS) return list;
    checkedAt = now;
    const state = [SECRET_FILE, PREVIOUS_SECRET_FILE].map((name) => stateOf(join(dataFolder, name))).join();
    if (state === seen) return list;
    const [current, previous] = [SECRET_FILE, PREVIOUS_SECRET_FILE].map((name) => textOf(join(dataFolder, name)));
    // If the file was removed, continue with the known secrets.
    if (current !== null) list = previous === null || previous === current ? [current] : [current, previous];
    seen = state;
    return list;
  };
}

function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "-" : `${found.ino}:${found.mtimeMs}:${found.size}`;
}

function textOf(path: string): string | null {
  try {
    const text = readFileSync(path, "utf8").trim();
    return isWhole(text) ? text : null;
  } catch {
    return null;
  }
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function isWhole(text: string): boolean {
  return text.length >= SECRET_MIN_LENGTH;
}

/** Moves the generated secret aside and generates a new one. Resumes an interrupted rotation. */
export async function beginFileRotation(dataFolder: string): Promise<void> {
  const [current, previous] = [join(dataFolder, SECRET_FILE), join(dataFolder, PREVIOUS_SECRET_FILE)];
  const secret = (await readFile(current, "utf8")).trim();
  const replaced = textOf(previous);
  if (replaced !== null && replaced !== secret) return;
  await replaceFile(dataFolder, PREVIOUS_SECRET_FILE, secret);
  await replaceFile(dataFolder, SECRET_FILE, newSecret());
}

/** Call when nothing is encrypted with the previous secret any more. */
export async function endFileRotation(dataFolder: string): Promise<void> {
  await rm(join(dataFolder, PREVIOUS_SECRET_FILE), { force: true });
}

async function replaceFile(folder: string, name: string, secret: string): Promise<void> {
  const draft = join(folder, `${name}.new`);
  {
    await using file = await open(draft, "w", 0o600);
    await file.writeFile(`${secret}\n`);
    await file.sync();
  }
  await rename(draft, join(folder, name));
  await using names = await open(folder, "r");
  await names.sync();
}
