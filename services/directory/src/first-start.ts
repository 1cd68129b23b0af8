/**
 * First start on an empty store, outside production: publishes the sample and writes two demo keys to
 * `credentials.json`. Later starts keep the keys while the store knows them.
 */
import { setTimeout } from "node:timers/promises";
import type { ApiKeyService, KeyCache } from "@triptych/api-keys";
import { readCredentialsFile, writeCredentials } from "@triptych/server";
import { lockCredentials } from "@triptych/storage";
import { PublishInProgressError } from "./domain/published-versions.ts";
import type { PlanId } from "./domain/plans.ts";
import { sampleChange, type DirectoryStore } from "./store/directory-store.ts";

/** Polls for the sample of another process that started at the same moment; ten seconds in total. */
const ATTEMPTS_MAX = 50;
const POLL_MS = 200;

export async function publishSample(store: DirectoryStore, now: number): Promise<void> {
  for (let attempt = 0; (await store.versions.published()) === null; attempt++) {
    try {
      await store.publish(sampleChange(now));
    } catch (error) {
      if (!(error instanceof PublishInProgressError) || attempt === ATTEMPTS_MAX) throw error;
      await setTimeout(POLL_MS);
    }
  }
}

export interface DemoKeys {
  readonly discovery_key: string;
  readonly pro_key: string;
}

export async function makeDemoKeys(dataFolder: string, keys: ApiKeyService, ring: KeyCache): Promise<DemoKeys> {
  await using _lock = await lockCredentials(dataFolder);
  const stored = await readCredentialsFile(dataFolder, "directory");
  const keep = async (name: string, plan: PlanId): Promise<string> => {
    const secret = stored?.[name];
    if (typeof secret === "string" && ring.verify(secret).state === "valid") return secret;
    return (await keys.create({ name: `demo ${plan}`, plan, test: true })).secret;
  };
  const demo = { discovery_key: await keep("discovery_key", "discovery"), pro_key: await keep("pro_key", "pro") };
  await ring.refresh();
  return demo;
}

export async function writeDemoKeys(dataFolder: string, url: string, demo: DemoKeys): Promise<void> {
  await using _lock = await lockCredentials(dataFolder);
  await writeCredentials(dataFolder, "directory", { url, ...demo });
}
