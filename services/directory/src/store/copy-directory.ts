import { rollUpUsage } from "@triptych/usage-metering";
import type { CopiedTable, StoreCopy, StoreLocation } from "@triptych/storage";
import { directoryStore } from "./migrations.ts";

export function copyDirectory(copy: StoreCopy): Promise<readonly CopiedTable[]> {
  return directoryStore.copy(copy, completeSums);
}

/** Completes the sums that a killed process left behind. */
async function completeSums(from: StoreLocation): Promise<void> {
  if (from.databaseUrl !== undefined) return;
  // Read-only first, so that an outdated store is rejected instead of migrated.
  await (await directoryStore.open(from, { readOnly: true })).close();
  await using database = await directoryStore.open(from);
  await rollUpUsage(database);
}
