/**
 * The secret under which an installation seals what it must read back: TRIPTYCH_SECRET, or outside production a key file that the
 * first process to start makes in the data folder, readable by its owner only. Without it nothing sealed opens again: it belongs
 * into the backup, apart from the data.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ConfigError } from "./config.ts";
import { secretFile } from "./secret-file.ts";

export interface SecretPlace {
  /** TRIPTYCH_SECRET as configured. */
  readonly secret: string | undefined;
  readonly dataFolder: string;
  /** There the secret has to be given: what a process makes by itself is easily lost or left in a backup beside the data. */
  readonly isProduction: boolean;
}

/** Short enough for any generator, long enough that guessing is hopeless: `openssl rand -base64 32` gives 44. */
const SHORTEST = 32;

export async function installationSecret({ secret, dataFolder, isProduction }: SecretPlace): Promise<string> {
  if (secret !== undefined && secret.length < SHORTEST)
    throw new ConfigError([`TRIPTYCH_SECRET: at least ${SHORTEST} characters, as from openssl rand -base64 32`]);
  if (secret !== undefined) return secret;
  if (isProduction)
    throw new ConfigError([
      "TRIPTYCH_SECRET: required in production, the same for every process; at least 32 characters, as from openssl rand -base64 32",
    ]);
  return secretFile({
    path: join(dataFolder, "secret-key"),
    make: () => randomBytes(32).toString("base64url"),
    isWhole: (text) => text.length >= SHORTEST,
    remedy: "Restore it from a backup, or set TRIPTYCH_SECRET.",
  });
}
