/** `triptych backup` and `triptych restore`. */
import { resolve } from "node:path";
import { Argument, Command, Option } from "commander";
import type { StoreLocation } from "@triptych/storage";
import { addJsonOption, clearStep, print, renderTable, showStep } from "@triptych/terminal";
import { locationIn, secretKeyId } from "./location.ts";
import type { Environment, Services } from "./stored-service.ts";
import { makeBackup, placeOf } from "./make-backup.ts";
import type { BackedUpService } from "./manifest.ts";
import { restoreBackup } from "./restore-backup.ts";
import packageFile from "../package.json" with { type: "json" };

const servicesArgument = ({ names }: Services) =>
  new Argument("[services...]", "services to include (default: all)").choices(names);

export function backupCommand(environment: Environment, services: Services): Command {
  return addJsonOption(new Command("backup"))
    .description("back up every store to a new folder while the services run, and verify the copy")
    .argument("<folder>", "new folder")
    .addArgument(servicesArgument(services))
    .option("--blobs", "also copy bundles and artifacts that are not in the data folder or the database")
    .exitOverride()
    .addHelpText("after", BACKUP_HELP)
    .action(async (folder: string, names: string[], options: { blobs?: true }, command: Command) => {
      const from = locationIn(environment, command);
      const manifest = await makeBackup({
        folder: resolve(folder),
        services: await services.load(names),
        areRequired: names.length > 0,
        from,
        copiesBlobs: options.blobs === true,
        environment,
        program: packageFile.version,
        now: () => new Date(),
        onStep: showStep,
      }).finally(clearStep);
      const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
      if (command.opts()["json"] === true) return print(JSON.stringify({ folder: resolve(folder), manifest }, null, 2));
      print(tableOf(manifest.services));
      print(
        `Backed up ${placeOf(from)} to ${resolve(folder)}: ${manifest.files.length} files, ${sizeText(bytes)}, verified.`,
      );
      for (const { name, note } of manifest.services) if (note !== undefined) print(`${name}: ${note}`);
      print(secretText(environment, from, manifest.secret_key_id));
    });
}

export function restoreCommand(environment: Environment, services: Services): Command {
  return addJsonOption(new Command("restore"))
    .description("restore a backup into an empty data folder, or an empty database where DATABASE_URL is set")
    .argument("<folder>", "folder written by `triptych backup`")
    .addArgument(servicesArgument(services))
    .addOption(new Option("--data <folder>", "data folder to create (default: TRIPTYCH_DATA)"))
    .exitOverride()
    .addHelpText("after", RESTORE_HELP)
    .action(async (folder: string, names: string[], options: { data?: string }, command: Command) => {
      const variables = options.data === undefined ? environment : { ...environment, TRIPTYCH_DATA: options.data };
      const to = locationIn(variables, command);
      const restored = await restoreBackup({
        folder: resolve(folder),
        services: await services.load(names),
        areRequired: names.length > 0,
        to,
        environment,
        onStep: showStep,
      }).finally(clearStep);
      const present = await secretKeyId(environment, to.dataFolder);
      if (command.opts()["json"] === true) {
        const { services, secretKeyId: needed } = restored;
        const keys = { secret_key_id: needed, present_secret_key_id: present };
        return print(JSON.stringify({ folder: resolve(folder), services, ...keys }, null, 2));
      }
      print(tableOf(restored.services));
      print(`Restored ${resolve(folder)} to ${placeOf(to)}; every store was verified.`);
      print(secretNeeded(restored.secretKeyId, present));
    });
}

function tableOf(services: readonly BackedUpService[]): string {
  const rows = services.map(({ name, facts }) => [
    name,
    Object.entries(facts)
      .map(([fact, value]) => `${fact.replaceAll("_", " ")} ${value}`)
      .join(", "),
  ]);
  return renderTable({ heads: ["service", "read back"], rows }, process.stdout.columns ?? 120);
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function secretText(environment: Environment, { dataFolder }: StoreLocation, id: string | null): string {
  const place = environment["TRIPTYCH_SECRET"]
    ? "the variable TRIPTYCH_SECRET"
    : `the file ${resolve(dataFolder, "secret-key")}`;
  return `The secret${id === null ? "" : ` (key ID ${id})`} is not in the backup. Store it elsewhere: ${place}. Without it, credentials, license keys and signing keys cannot be decrypted.`;
}

function secretNeeded(needed: string | null, present: string | null): string {
  const key = needed === null ? "" : ` (key ID ${needed})`;
  if (present === null)
    return `Start the services with the secret of the backed-up installation${key}: TRIPTYCH_SECRET, or the file secret-key in the data folder.`;
  if (present === needed) return `The secret of this environment is that of the backed-up installation${key}.`;
  return `The secret of this environment has the key ID ${present}, not the key ID of the backed-up installation${key}. Set TRIPTYCH_SECRET to the secret of that installation before you start the services.`;
}

const BACKUP_HELP = `
Services are copied one after the other; each copy is consistent. The backup has the form of a data folder with
manifest.json; it is written as FOLDER.partial and renamed at the end. On PostgreSQL (DATABASE_URL) it is an SQLite copy.
Not copied: the secret, service-token, credentials.json, mirrors of repositories. docs/backup.md explains more.`;

const RESTORE_HELP = `
Verifies every file first, then copies into FOLDER.partial, reads the stores back and renames. Refuses a folder or database
that is not empty. Exit status: 0 restored, 1 refused or failed (nothing was written), 2 usage error.`;
