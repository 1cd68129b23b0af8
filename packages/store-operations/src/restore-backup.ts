/** Restores a verified backup into an empty folder or database, and verifies the restored stores. */
import { chmod, copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { integrityIssues, type StoreLocation } from "@triptych/storage";
import type { Environment, StoredService } from "./stored-service.ts";
import { type BackedUpService, type BackupFile, fileIssues, issuesError, readManifest } from "./manifest.ts";
import { folderIssue, openPartialFolder, type PartialFolder } from "./partial-folder.ts";

export interface RestoreOrder {
  readonly folder: string;
  readonly services: readonly StoredService[];
  /** Whether the user named the services, so that the backup must contain each of them. */
  readonly areRequired: boolean;
  readonly to: StoreLocation;
  readonly environment: Environment;
  readonly onStep: (step: string) => void;
}

export interface Restored {
  readonly services: readonly BackedUpService[];
  /** The key ID of the secret that the services need. */
  readonly secretKeyId: string | null;
}

export async function restoreBackup(order: RestoreOrder): Promise<Restored> {
  const { to, onStep, environment } = order;
  const { services, described, files, secretKeyId } = await verify(order);
  await using partial = await openPartialFolder(to.dataFolder);
  const local: StoreLocation = { dataFolder: partial.path, databaseUrl: undefined };
  for (const file of files) {
    onStep(`copying ${file.path}`);
    await copyInto(partial.path, order.folder, file);
  }
  onStep("reading back");
  const issues = await fileIssues(partial.path, files);
  if (issues.length === 0)
    for (const service of services) issues.push(...(await readBack(service, local, described, onStep)));
  if (issues.length > 0) throw issuesError("Nothing was restored", issues);
  for (const service of services) await service.storeRestoredBlobs?.(partial.path, environment);
  if (to.databaseUrl === undefined) await partial.finish();
  else await moveToDatabase(services, { partial, databaseUrl: to.databaseUrl, onStep });
  return { services: described, secretKeyId };
}

/** Reports all reasons against a restore at once, before anything is written. */
async function verify({ folder, services, areRequired, to, onStep }: RestoreOrder) {
  const issues: string[] = [];
  if (to.databaseUrl === undefined)
    issues.push(...[await folderIssue(to.dataFolder)].filter((issue) => issue !== null));
  else
    for (const service of services)
      if (await service.isStoreUsed(to))
        issues.push(`The ${service.name} has a store in the database of DATABASE_URL.`);
  const manifest = await readManifest(folder).catch((error: unknown) => {
    issues.push(error instanceof Error ? error.message : String(error));
    return null;
  });
  const described = manifest?.services.filter(({ name }) => services.some((service) => service.name === name)) ?? [];
  const names = new Set(described.map(({ name }) => name));
  if (manifest !== null && areRequired)
    for (const { name } of services) if (!names.has(name)) issues.push(`The backup does not contain the ${name}.`);
  const files = manifest?.files.filter(({ service }) => names.has(service)) ?? [];
  for (const name of names)
    if (!files.some(({ path }) => path === `${name}.db`)) issues.push(`The backup does not list ${name}.db.`);
  onStep("verifying");
  issues.push(...(await fileIssues(folder, files)));
  if (issues.length > 0) throw issuesError("Nothing was restored", issues);
  return {
    services: services.filter(({ name }) => names.has(name)),
    described,
    files,
    secretKeyId: manifest?.secret_key_id ?? null,
  };
}

async function copyInto(target: string, source: string, { path }: BackupFile): Promise<void> {
  const file = join(target, path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await copyFile(join(source, path), file);
  await chmod(file, 0o600);
}

/** Older stores are migrated first, as at startup. */
async function readBack(
  service: StoredService,
  local: StoreLocation,
  described: readonly BackedUpService[],
  onStep: (step: string) => void,
): Promise<string[]> {
  const { name } = service;
  onStep(`${name}: reading back`);
  const broken = integrityIssues(join(local.dataFolder, `${name}.db`));
  if (broken.length > 0) return broken.map((issue) => `${name}: ${issue}`);
  try {
    await service.migrateStore(local);
    const { facts, issues } = await service.checkStore(local);
    const expected = described.find((one) => one.name === name)?.facts;
    const differs = isDeepStrictEqual({ ...facts }, { ...expected }) ? [] : [differenceOf(expected, facts)];
    return [...issues, ...differs].map((issue) => `${name}: ${issue}`);
  } catch (error) {
    return [`${name}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function differenceOf(expected: unknown, found: unknown): string {
  return `the backup had ${JSON.stringify(expected)}, the restored store has ${JSON.stringify(found)}`;
}

interface DatabaseMove {
  readonly partial: PartialFolder;
  readonly databaseUrl: string;
  readonly onStep: (step: string) => void;
}

/** Each service appears complete or not at all. */
async function moveToDatabase(services: readonly StoredService[], move: DatabaseMove): Promise<void> {
  const { partial, databaseUrl, onStep } = move;
  for (const service of services) {
    const onProgress = ({ table, copied, total }: { table: string; copied: number; total: number }) =>
      onStep(`${service.name}: ${table} ${Math.floor((100 * copied) / Math.max(1, total))} %`);
    await service.copyStore({ from: partial.path, to: databaseUrl, onProgress });
  }
}
