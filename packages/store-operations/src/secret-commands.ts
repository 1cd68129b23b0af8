/** `triptych secret rotate`. */
import { resolve } from "node:path";
import { Command } from "commander";
import {
  configIssues,
  readConfig,
  type SecretConfig,
  secretIssues,
  TRIPTYCH_SECRET,
  TRIPTYCH_SECRET_PREVIOUS,
} from "@triptych/config";
import { addJsonOption, clearStep, print, renderTable, showStep } from "@triptych/terminal";
import { Type } from "typebox";
import { locationIn, locationIssues } from "./location.ts";
import { type KeyStatus, openRotation, type Rotation } from "./rotate-secret.ts";
import type { Environment, Services } from "./stored-service.ts";

const SecretVariables = Type.Object({ TRIPTYCH_SECRET, TRIPTYCH_SECRET_PREVIOUS });

export function secretCommand(environment: Environment, services: Services): Command {
  const secret = new Command("secret").description("the secret that encrypts stored values").exitOverride();
  addJsonOption(secret.command("rotate"))
    .description("encrypt every stored value with a new secret while the services run; run again after an interruption")
    .option("--status", "only show how many values are encrypted with which key")
    .addHelpText("after", ROTATE_HELP)
    .action(async (options: { status?: true }, command: Command) => {
      const isReadOnly = options.status === true;
      const issues = new Set([
        ...locationIssues(environment),
        ...configIssues(SecretVariables, environment),
        ...secretIssues(environment),
      ]);
      const config: SecretConfig = issues.size > 0 ? {} : readConfig(SecretVariables, environment);
      if (!isReadOnly && config.TRIPTYCH_SECRET !== undefined && config.TRIPTYCH_SECRET_PREVIOUS === undefined)
        issues.add(SET_PREVIOUS);
      if (issues.size > 0) command.error(`error: Correct or unset: ${[...issues].join("; ")}`, { exitCode: 2 });
      const location = locationIn(environment, command);
      const loaded = await services.load([]);
      const rotation = await openRotation({ location, config, services: loaded, onStep: showStep });
      const isJson = command.opts()["json"] === true;
      const changed = isReadOnly ? null : await rotate(rotation).finally(clearStep);
      const status = await rotation.status();
      if (isJson) return print(JSON.stringify(statusJson(status, changed), null, 2));
      if (changed !== null) print(`Encrypted ${changed} values with the newest key.`);
      report(status, resolve(location.dataFolder));
    });
  return secret;
}

/** Returns the number of encrypted values. */
async function rotate(rotation: Rotation): Promise<number> {
  const { changed, failed } = await rotation.run();
  if (failed > 0)
    throw new Error(
      `Encrypted ${changed} values with the newest key. ${failed} values cannot be decrypted with the given secrets and were left unchanged. Run the command with --status to see their kinds.`,
    );
  return changed;
}

function statusJson({ counts, keys, remaining, expiring }: KeyStatus, changed: number | null) {
  const values = counts.map(({ service, kind, total, byKey, expiresAt }) => ({
    service,
    kind,
    total,
    by_key: byKey,
    expires_at: expiresAt === undefined || expiresAt === null ? null : new Date(expiresAt).toISOString(),
  }));
  return { changed, keys: keys.map(({ id, role }) => ({ id, role })), values, remaining, expiring };
}

function report({ counts, keys, isFileBased, remaining, expiring }: KeyStatus, dataFolder: string): void {
  const rows = counts.map(({ service, kind, total, byKey, expiresAt }) => {
    const known = keys.map(({ id }) => byKey[id] ?? 0);
    const others = total - known.reduce((sum, count) => sum + count, 0);
    const end = expiresAt === undefined || expiresAt === null ? "" : new Date(expiresAt).toISOString().slice(0, 16);
    return [service, kind, ...known.map(String), String(others), end];
  });
  const heads = ["service", "values", ...keys.map(({ id, role }) => `${role} ${id}`), "no key ID", "expire by"];
  print(renderTable({ heads, rows }, process.stdout.columns ?? 120));
  const place = isFileBased ? `the file secret-key.previous in ${dataFolder}` : "TRIPTYCH_SECRET_PREVIOUS";
  if (remaining > 0) print(`${remaining} values are still encrypted with an older key. Run triptych secret rotate.`);
  else if (expiring > 0)
    print(
      `${expiring} responses expire on their own and need the previous key until then. Keep ${place}, and run the command again later.`,
    );
  else if (keys.length > 1) print(`The previous key is no longer needed. Remove ${place} and restart the services.`);
  else print("Every value is encrypted with the newest key.");
}

const SET_PREVIOUS =
  "TRIPTYCH_SECRET_PREVIOUS: set it to the old secret and TRIPTYCH_SECRET to the new one, first for the services, then for this command";

const ROTATE_HELP = `
With TRIPTYCH_SECRET: set it to the new secret and TRIPTYCH_SECRET_PREVIOUS to the old one for every process, restart them, and
run this command with both. With the generated file secret-key nothing needs to be set or restarted.
Secrets are never arguments. docs/backup.md has a complete session.`;
