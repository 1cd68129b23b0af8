import { resolve } from "node:path";
import { configIssues, readConfig, serviceVariables } from "@triptych/config";
import type { StoreLocation } from "@triptych/storage";
import type { Command } from "commander";
import { Type } from "typebox";
import type { Environment } from "./stored-service.ts";

const LocationConfig = Type.Pick(Type.Object(serviceVariables()), ["TRIPTYCH_DATA", "DATABASE_URL"]);

export function locationIssues(environment: Environment): readonly string[] {
  return configIssues(LocationConfig, environment);
}

/** Where the services of this environment have their stores. */
export function locationIn(environment: Environment, command: Command): StoreLocation {
  const issues = locationIssues(environment);
  if (issues.length > 0) command.error(`error: Correct or unset: ${issues.join("; ")}`, { exitCode: 2 });
  const { TRIPTYCH_DATA, DATABASE_URL } = readConfig(LocationConfig, environment);
  return { dataFolder: resolve(TRIPTYCH_DATA), databaseUrl: DATABASE_URL };
}
