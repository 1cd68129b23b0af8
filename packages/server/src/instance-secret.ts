/**
 * The secret that encrypts stored values: TRIPTYCH_SECRET, or outside production a generated key file in the data
 * folder. Stored values are lost without it; back it up separately.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ConfigError, issuesOfSecret, SECRET_MIN_LENGTH } from "@triptych/config";
import { secretFile } from "./secret-file.ts";

export interface InstanceSecretOptions {
  readonly secret: string | undefined;
  readonly dataFolder: string;
  /**
   * Production requires a configured secret: a generated one is easily lost, or ends up in a backup next to the data.
   */
  readonly isProduction: boolean;
}

export async function installationSecret({ secret, dataFolder, isProduction }: InstanceSecretOptions): Promise<string> {
  const issues = issuesOfSecret(secret, isProduction);
  if (issues.length > 0) throw new ConfigError(issues);
  if (secret !== undefined) return secret;
  return secretFile({
    path: join(dataFolder, "secret-key"),
    make: () => randomBytes(32).toString("base64url"),
    isWhole: (text) => text.length >= SECRET_MIN_LENGTH,
    remedy: "Restore it from a backup, or set TRIPTYCH_SECRET.",
  });
}
