/**
 * The secret under which an installation seals what it must read back: TRIPTYCH_SECRET, or outside production a key file that the
 * first process to start makes in the data folder, readable by its owner only. Without it nothing sealed opens again: it belongs
 * into the backup, apart from the data.
 */
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "./config.ts";

export interface SecretPlace {
  /** TRIPTYCH_SECRET as configured. */
  readonly secret: string | undefined;
  readonly dataFolder: string;
  /** There the secret has to be given: what a process makes by itself is easily lost or left in a backup beside the data. */
  readonly isProduction: boolean;
}

/** Short enough for any generator, long enough that guessing is hopeless: `openssl rand -base64 32` gives 44. */
const SHORTEST = 32;
const KEY_FILE = "secret-key";

export async function installationSecret({ secret, dataFolder, isProduction }: SecretPlace): Promise<string> {
  if (secret !== undefined && secret.length < SHORTEST)
    throw new ConfigError([`TRIPTYCH_SECRET: at least ${SHORTEST} characters, as from openssl rand -base64 32`]);
  if (secret !== undefined) return secret;
  if (isProduction)
    throw new ConfigError([
      "TRIPTYCH_SECRET: required in production, the same for every process; at least 32 characters, as from openssl rand -base64 32",
    ]);
  return keyFile(join(dataFolder, KEY_FILE), dataFolder);
}

/** `link` gives the finished file its name only if nobody else was first: two processes that start at once read the same key. */
async function keyFile(path: string, dataFolder: string): Promise<string> {
  const known = await readIfThere(path);
  if (known !== null) return known;

  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const passing = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.new`;
  await writeFile(passing, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true });
  try {
    await link(passing, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await rm(passing, { force: true });
  }
  return (await readIfThere(path)) ?? refuse(path);
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    const text = (await readFile(path, "utf8")).trim();
    return text.length < SHORTEST ? refuse(path) : text;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

function refuse(path: string): never {
  throw new Error(`The key file ${path} holds no key. Restore it from a backup, or set TRIPTYCH_SECRET.`);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
