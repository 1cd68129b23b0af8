/** Loads the published version, from its snapshot or else from its rows, and compares its content hash. */
import type { StoreCheck, StoreLocation } from "@triptych/storage";
import { createDirectoryStore, type StoreEvent } from "./directory-store.ts";
import { directoryStore } from "./tables.ts";

/** `folder` has, or receives, the snapshot. */
export async function checkStore(location: StoreLocation): Promise<StoreCheck> {
  await using database = await directoryStore.open(location, { readOnly: true });
  const events: StoreEvent[] = [];
  const { versions, engine } = createDirectoryStore({
    database,
    location: directoryStore.addressOf(location),
    dataFolder: location.dataFolder,
    engine: "memory",
    indexBytes: Number.MAX_SAFE_INTEGER,
    itemCacheBytes: 0,
    report: (event) => void events.push(event),
    now: Date.now,
  });
  const keys = database.db.selectFrom("api_key").select(({ fn }) => fn.countAll<number>().as("rows"));
  const facts = { keys: (await keys.executeTakeFirstOrThrow()).rows };
  const version = await versions.published();
  if (version === null) return { facts: { ...facts, version: "none", items: 0 }, issues: [] };

  const open = await engine.open(version);
  await open.close();
  const issues = events.flatMap((event) =>
    event.what === "differs" || event.what === "refused"
      ? [`Version ${event.version}: ${event.reason ?? "differs"}.`]
      : [],
  );
  return { facts: { ...facts, version: version.id, items: version.items }, issues };
}
