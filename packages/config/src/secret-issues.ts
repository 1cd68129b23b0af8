/** What is wrong with TRIPTYCH_SECRET, without its value. */
import type { Environment } from "./config.ts";

/** Short enough for any generator, long enough to resist guessing: `openssl rand -base64 32` prints 44. */
export const SECRET_MIN_LENGTH = 32;
const FEWEST_DISTINCT = 8;
const LONGEST_PERIOD = 31;

export function secretIssues(environment: Environment): readonly string[] {
  return issuesOfSecret(environment["TRIPTYCH_SECRET"] || undefined, environment["NODE_ENV"] === "production");
}

export function issuesOfSecret(secret: string | undefined, isProduction: boolean): readonly string[] {
  const form = `at least ${SECRET_MIN_LENGTH} characters, for example from openssl rand -base64 32`;
  if (secret === undefined)
    return isProduction ? [`TRIPTYCH_SECRET: required in production, the same for every process; ${form}`] : [];
  if (secret.length < SECRET_MIN_LENGTH) return [`TRIPTYCH_SECRET: ${form}`];
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
