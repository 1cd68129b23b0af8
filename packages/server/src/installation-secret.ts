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
const FEWEST_DISTINCT = 8;
/** Longest pattern whose repetition is refused. */
const LONGEST_PERIOD = 31;

export async function installationSecret({ secret, dataFolder, isProduction }: SecretPlace): Promise<string> {
  const faults = faultsOf(secret, isProduction);
  if (faults.length > 0) throw new ConfigError(faults);
  if (secret !== undefined) return secret;
  return secretFile({
    path: join(dataFolder, "secret-key"),
    make: () => randomBytes(32).toString("base64url"),
    isWhole: (text) => text.length >= SHORTEST,
    remedy: "Restore it from a backup, or set TRIPTYCH_SECRET.",
  });
}

/** The same before anything is opened; see `configFaults`. */
export function secretFaults(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return faultsOf(environment["TRIPTYCH_SECRET"] || undefined, environment["NODE_ENV"] === "production");
}

function faultsOf(secret: string | undefined, isProduction: boolean): readonly string[] {
  const form = `at least ${SHORTEST} characters, as from openssl rand -base64 32`;
  if (secret === undefined)
    return isProduction ? [`TRIPTYCH_SECRET: required in production, the same for every process; ${form}`] : [];
  if (secret.length < SHORTEST) return [`TRIPTYCH_SECRET: ${form}`];
  if (isProduction && isGuessable(secret))
    return ["TRIPTYCH_SECRET: too easy to guess; use the output of openssl rand -base64 32"];
  return [];
}

/** Few distinct characters, or a short text again and again. No generator gives either by chance. */
function isGuessable(secret: string): boolean {
  if (new Set(secret).size < FEWEST_DISTINCT) return true;
  const longestPeriod = Math.min(LONGEST_PERIOD, Math.floor(secret.length / 2));
  for (let period = 1; period <= longestPeriod; period++)
    if (secret.slice(period) === secret.slice(0, -period)) return true;
  return false;
}
