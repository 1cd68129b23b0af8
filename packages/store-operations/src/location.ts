import { join, resolve } from "node:path";
import { configIssues, readConfig, serviceVariables } from "@triptych/config";
import type { StoreLocation } from "@triptych/storage";
import type { Command } from "commander";
import { Type } from "typebox";
import type { Environment } from "./stored-service.ts";
import { readFile } from "node:fs/promises";
import { keyIdOf } from "@triptych/encryption";
import { SECRET_FILE } from "@triptych/server";

const LocationConfig = Type.Pick(Type.Object(serviceVariables()), ["TRIPTYCH_DATA", "DATABASE_URL"]);

export function locationIssues(environment: Environment): readonly string[] {
  return configIssues(LocationConfig, environment);
}

/** Location of the stores in this environment. */
export function locationIn(environment: Environment, command: Command): StoreLocation {
  const issues = locationIssues(environment);
  if (issues.length > 0) command.error(`error: Correct or unset: ${issues.join("; ")}`, { exitCode: 2 });
  const { TRIPTYCH_DATA, DATABASE_URL } = readConfig(LocationConfig, environment);
  return { dataFolder: resolve(TRIPTYCH_DATA), databaseUrl: DATABASE_URL };
}

/**
 * The key ID of the environment's secret, which tells which secret a backup needs. Null without a secret; creates none.
 */
export async function secretKeyId(environment: Environment, dataFolder: string): Promise<string | null> {
  const secret =
    environment["TRIPTYCH_SECRET"] || (await readFile(join(dataFolder, SECRET_FILE), "utf8").catch(() => ""));
  return secret.trim() === "" ? null : keyIdOf(secret.trim());
}
