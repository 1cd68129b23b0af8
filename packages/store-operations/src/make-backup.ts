/** Copies every store while its service runs, verifies the copies, and writes the manifest. */
import { join } from "node:path";
import { integrityIssues, migrationsIn, type StoreLocation } from "@triptych/storage";
import type { Environment, StoredService } from "./stored-service.ts";
import {
  type BackedUpService,
  type BackupFile,
  describeFiles,
  fileIssues,
  issuesError,
  type Manifest,
  writeManifest,
} from "./manifest.ts";
import { filesIn, folderIssue, openPartialFolder } from "./partial-folder.ts";
import { secretKeyId } from "./location.ts";

export interface BackupOrder {
  readonly folder: string;
  readonly services: readonly StoredService[];
  /** Whether the user named the services, so that each must have a store. */
  readonly areRequired: boolean;
  readonly from: StoreLocation;
  readonly copiesBlobs: boolean;
  readonly environment: Environment;
  readonly program: string;
  readonly now: () => Date;
  readonly onStep: (step: string) => void;
}

export async function makeBackup(order: BackupOrder): Promise<Manifest> {
  const { folder, from, onStep } = order;
  const services = await servicesToCopy(order);
  await using partial = await openPartialFolder(folder);
  const made: BackedUpService[] = [];
  const files: BackupFile[] = [];
  const issues: string[] = [];
  for (const service of services) {
    const copied = await copyOne(service, partial.path, order);
    made.push(copied.service);
    issues.push(...copied.issues.map((issue) => `${service.name}: ${issue}`));
    const known = new Set(files.map(({ path }) => path));
    const added = (await filesIn(partial.path)).filter((path) => !known.has(path));
    onStep(`${service.name}: hashing`);
    files.push(...(await describeFiles(partial.path, service.name, added)));
  }
  onStep("reading back");
  issues.push(...(await fileIssues(partial.path, files)));
  if (issues.length > 0) throw issuesError(`Not backed up: the stores in ${placeOf(from)} are damaged`, issues);
  const manifest: Manifest = {
    format: 1,
    program: order.program,
    created_at: order.now().toISOString(),
    secret_key_id: await secretKeyId(order.environment, from.dataFolder),
    services: made,
    files,
  };
  await writeManifest(partial.path, manifest);
  await partial.finish();
  return manifest;
}

/** Reports all reasons against a backup at once, before anything is written. */
async function servicesToCopy({ folder, services, areRequired, from }: BackupOrder) {
  const issues = [await folderIssue(folder)].filter((issue) => issue !== null);
  const present: StoredService[] = [];
  for (const service of services) {
    if (await service.hasStore(from)) present.push(service);
    else if (areRequired) issues.push(`The ${service.name} has no store in ${placeOf(from)}.`);
  }
  if (present.length === 0 && !areRequired) issues.push(`No service has a store in ${placeOf(from)}.`);
  if (issues.length > 0) throw issuesError("Nothing was written", issues);
  return present;
}

async function copyOne(service: StoredService, to: string, order: BackupOrder) {
  const { name } = service;
  const { from, environment, copiesBlobs, onStep } = order;
  const copiedAt = order.now().toISOString();
  const note = await service.backupStore({
    from,
    to,
    environment,
    copiesBlobs,
    onProgress: ({ table, copied, total }) =>
      onStep(`${name}: ${table} ${Math.floor((100 * copied) / Math.max(1, total))} %`),
  });
  onStep(`${name}: reading back`);
  const file = join(to, `${name}.db`);
  const broken = integrityIssues(file);
  const check =
    broken.length > 0
      ? { facts: {}, issues: broken }
      : await service.checkStore({ dataFolder: to, databaseUrl: undefined });
  const described: BackedUpService = {
    name,
    copied_at: copiedAt,
    from: from.databaseUrl === undefined ? "sqlite" : "postgres",
    migrations: broken.length > 0 ? {} : migrationsIn(file),
    facts: check.facts,
    ...(typeof note === "string" && { note }),
  };
  return { service: described, issues: check.issues };
}

/** Never returns the address itself, which may contain a password. */
export function placeOf({ dataFolder, databaseUrl }: StoreLocation): string {
  return databaseUrl === undefined ? dataFolder : "the database of DATABASE_URL";
}
