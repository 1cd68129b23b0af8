/**
 * The secret that encrypts stored values: TRIPTYCH_SECRET, or outside production a generated key file in the data
 * folder. Stored values are lost without it; back it up separately.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ConfigError } from "./config.ts";
import { secretFile } from "./secret-file.ts";

export interface InstanceSecretOptions {
  readonly secret: string | undefined;
  readonly dataFolder: string;
  /**
   * Production requires a configured secret: a generated one is easily lost, or ends up in a backup next to the data.
   */
  readonly isProduction: boolean;
}

/** Short enough for any generator, long enough to resist guessing: `openssl rand -base64 32` prints 44. */
const SHORTEST = 32;
const FEWEST_DISTINCT = 8;
const LONGEST_PERIOD = 31;

export async function installationSecret({ secret, dataFolder, isProduction }: InstanceSecretOptions): Promise<string> {
  const issues = issuesOf(secret, isProduction);
  if (issues.length > 0) throw new ConfigError(issues);
  if (secret !== undefined) return secret;
  return secretFile({
    path: join(dataFolder, "secret-key"),
    make: () => randomBytes(32).toString("base64url"),
    isWhole: (text) => text.length >= SHORTEST,
    remedy: "Restore it from a backup, or set TRIPTYCH_SECRET.",
  });
}

export function secretIssues(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return issuesOf(environment["TRIPTYCH_SECRET"] || undefined, environment["NODE_ENV"] === "production");
}

function issuesOf(secret: string | undefined, isProduction: boolean): readonly string[] {
  const form = `at least ${SHORTEST} characters, for example from openssl rand -base64 32`;
  if (secret === undefined)
    return isProduction ? [`TRIPTYCH_SECRET: required in production, the same for every process; ${form}`] : [];
  if (secret.length < SHORTEST) return [`TRIPTYCH_SECRET: ${form}`];
  if (isProduction && isGuessable(secret))
    return ["TRIPTYCH_SECRET: too easy to guess; use the output of openssl rand -base64 32"];
  return [];
}

/** True for few distinct characters or a repeated pattern. Generators produce neither by chance. */
function isGuessable(secret: string): boolean {
  if (new Set(secret).size < FEWEST_DISTINCT) return true;
  const longestPeriod = Math.min(LONGEST_PERIOD, Math.floor(secret.length / 2));
  for (let period = 1; period <= longestPeriod; period++)
    if (secret.slice(period) === secret.slice(0, -period)) return true;
  return false;
}
