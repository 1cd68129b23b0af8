/** Creates many unlimited Pro keys in a store before a service opens it, to spread requests over them. */
import { randomBytes } from "node:crypto";
import { createKeys, openKeyStore } from "@triptych/api-keys";
import { openStore } from "../src/store/open-store.ts";
import { KEY_FORMS, meteredPlans } from "../src/store/access.ts";

const TIERS = '[{"up_to":null,"price_micro":100}]';

export async function createManyKeys(dataFolder: string, count: number): Promise<string[]> {
  const config = {
    TRIPTYCH_DATA: dataFolder,
    DATABASE_URL: undefined,
    DIRECTORY_ENGINE: "memory",
    DIRECTORY_INDEX_BYTES: undefined,
  } as const;
  await using opened = await openStore(config, { report: () => {}, now: () => Date.now() });
  const keys = createKeys({
    store: openKeyStore(opened.database),
    plans: meteredPlans(TIERS),
    forms: KEY_FORMS,
    clock: () => Date.now(),
    random: randomBytes,
  });
  const creating = Array.from({ length: count }, (_, number) =>
    keys.create({ name: `bench ${number}`, plan: "pro", test: false, dailyItems: "none" }),
  );
  return (await Promise.all(creating)).map(({ secret }) => secret);
}
