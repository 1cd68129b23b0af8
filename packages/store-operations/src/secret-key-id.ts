/** The key ID of the secret of an environment. It tells an operator which secret a backup needs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { keyIdOf } from "@triptych/encryption";
import { SECRET_FILE } from "@triptych/server";
import type { Environment } from "./stored-service.ts";

/** Null where there is no secret yet. Creates none. */
export async function secretKeyId(environment: Environment, dataFolder: string): Promise<string | null> {
  const secret =
    environment["TRIPTYCH_SECRET"] || (await readFile(join(dataFolder, SECRET_FILE), "utf8").catch(() => ""));
  return secret.trim() === "" ? null : keyIdOf(secret.trim());
}
