/** Encrypts the stored values of all services with the newest secret. Every step is idempotent. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { SecretConfig } from "@triptych/config";
import { keyIdOf } from "@triptych/encryption";
import {
  beginFileRotation,
  endFileRotation,
  installationSecrets,
  type InstallationSecrets,
  SECRET_RELOAD_MS,
} from "@triptych/server";
import { acquireFileLock, type Resealed, type SealedCount, type StoreLocation } from "@triptych/storage";
import type { StoredService } from "./stored-service.ts";

export interface RotationOrder {
  readonly location: StoreLocation;
  readonly config: SecretConfig;
  readonly services: readonly StoredService[];
  readonly onStep: (step: string) => void;
}

export interface Rotation {
  run(): Promise<Resealed>;
  status(): Promise<KeyStatus>;
}

export interface KeyStatus {
  readonly counts: readonly (SealedCount & { readonly service: string })[];
  /** Newest first. */
  readonly keys: readonly { readonly id: string; readonly role: "newest" | "previous" }[];
  readonly isFileBased: boolean;
  /** Values that a rotation still has to encrypt. */
  readonly remaining: number;
  /** Values under other keys that expire on their own. */
  readonly expiring: number;
}

/** After this time, no running service encrypts with the previous secret any more. */
const SETTLED_MS = 2 * SECRET_RELOAD_MS;
/**
 * A pass that finds nothing ends the rotation. Values can only be added with the previous key before the first pass.
 */
const PASSES_MAX = 10;

export async function openRotation({ location, config, services, onStep }: RotationOrder): Promise<Rotation> {
  const { dataFolder } = location;
  const isFileBased = config.TRIPTYCH_SECRET === undefined;
  const present: StoredService[] = [];
  for (const service of services) if (await service.hasStore(location)) present.push(service);
  if (present.length === 0) throw new Error("No service has a store here. Nothing was changed.");
  const secrets = await installationSecrets({ config, dataFolder, isProduction: false });
  secrets("reload");

  const status = () => countAll({ location, services: present, secrets, isFileBased });
  return {
    status,
    async run() {
      await using _lock = await acquireFileLock(join(dataFolder, "secret-rotation.lock"));
      if (isFileBased) {
        await beginFileRotation(dataFolder);
        onStep("waiting for running services");
        await pause(SETTLED_MS);
        secrets("reload");
      }
      const result = await resealAll({ location, services: present, secrets, onStep });
      const { remaining, expiring } = await status();
      if (isFileBased && remaining + expiring + result.failed === 0) {
        await endFileRotation(dataFolder);
        secrets("reload");
      }
      return result;
    },
  };
}

interface Resealing {
  readonly location: StoreLocation;
  readonly services: readonly StoredService[];
  readonly secrets: InstallationSecrets;
}

async function resealAll(order: Resealing & Pick<RotationOrder, "onStep">): Promise<Resealed> {
  const { location, services, secrets, onStep } = order;
  let total = 0;
  for (let pass = 1; ; pass++) {
    let [changed, failed] = [0, 0];
    for (const service of services) {
      onStep(`${service.name}: encrypting, pass ${pass}`);
      const result = await service.rotateStore?.(location, secrets);
      changed += result?.changed ?? 0;
      failed += result?.failed ?? 0;
    }
    total += changed;
    if (changed === 0 || pass === PASSES_MAX) return { changed: total, failed };
  }
}

async function countAll(order: Resealing & { readonly isFileBased: boolean }): Promise<KeyStatus> {
  const { location, services, secrets, isFileBased } = order;
  const counts: (SealedCount & { service: string })[] = [];
  for (const service of services)
    for (const count of (await service.sealedValues?.(location, secrets)) ?? [])
      counts.push({ service: service.name, ...count });
  const keys = secrets().map((secret, index) => {
    const role: "newest" | "previous" = index === 0 ? "newest" : "previous";
    return { id: keyIdOf(secret), role };
  });
  const othersOf = ({ total, byKey }: SealedCount) => total - (byKey[keys[0].id] ?? 0);
  const sumOf = (list: readonly SealedCount[]) => list.reduce((sum, count) => sum + othersOf(count), 0);
  return {
    counts,
    keys,
    isFileBased,
    remaining: sumOf(counts.filter(({ expiresAt }) => expiresAt === undefined)),
    expiring: sumOf(counts.filter(({ expiresAt }) => expiresAt !== undefined)),
  };
}
