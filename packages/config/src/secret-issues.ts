/** Reports issues of TRIPTYCH_SECRET without its value. */
import type { Environment } from "./config.ts";

/** Short enough for any generator, long enough to resist guessing: `openssl rand -base64 32` prints 44. */
export const SECRET_MIN_LENGTH = 32;
const FEWEST_DISTINCT = 8;
const LONGEST_PERIOD = 31;

export interface SecretConfig {
  readonly TRIPTYCH_SECRET?: string | undefined;
  readonly TRIPTYCH_SECRET_PREVIOUS?: string | undefined;
}

export function secretIssues(environment: Environment): readonly string[] {
  const config = {
    TRIPTYCH_SECRET: environment["TRIPTYCH_SECRET"] || undefined,
    TRIPTYCH_SECRET_PREVIOUS: environment["TRIPTYCH_SECRET_PREVIOUS"] || undefined,
  };
  return issuesOfSecrets(config, environment["NODE_ENV"] === "production");
}

export function issuesOfSecrets(config: SecretConfig, isProduction: boolean): readonly string[] {
  const { TRIPTYCH_SECRET: secret, TRIPTYCH_SECRET_PREVIOUS: previous } = config;
  return [...secretIssue(secret, isProduction), ...previousIssue(secret, previous)];
}

const FORM = `at least ${SECRET_MIN_LENGTH} characters, for example from openssl rand -base64 32`;

function secretIssue(secret: string | undefined, isProduction: boolean): readonly string[] {
  if (secret === undefined)
    return isProduction ? [`TRIPTYCH_SECRET: required in production, the same for every process; ${FORM}`] : [];
  if (secret.length < SECRET_MIN_LENGTH) return [`TRIPTYCH_SECRET: ${FORM}`];
  if (isProduction && isGuessable(secret))
    return ["TRIPTYCH_SECRET: too easy to guess; use the output of openssl rand -base64 32"];
  return [];
}

function previousIssue(secret: string | undefined, previous: string | undefined): readonly string[] {
  if (previous === undefined) return [];
  if (secret === undefined) return ["TRIPTYCH_SECRET_PREVIOUS: only together with TRIPTYCH_SECRET"];
  if (previous.length < SECRET_MIN_LENGTH) return [`TRIPTYCH_SECRET_PREVIOUS: ${FORM}`];
  return previous === secret ? ["TRIPTYCH_SECRET_PREVIOUS: must differ from TRIPTYCH_SECRET"] : [];
}

/** True if the secret has few distinct characters or a repeated pattern. Random generators produce neither. */
function isGuessable(secret: string): boolean {
  if (new Set(secret).size < FEWEST_DISTINCT) return true;
  const longestPeriod = Math.min(LONGEST_PERIOD, Math.floor(secret.length / 2));
  for (let period = 1; period <= longestPeriod; period++)
    if (secret.slice(period) === secret.slice(0, -period)) return true;
  return false;
}
