/**
 * Copies the store between a data folder and PostgreSQL, in either direction: first the rows, then the files that they
 * reference.
 */
import { type CopiedTable, locationOf, type StoreCopy } from "@triptych/storage";
import { routerStore } from "./migrations.ts";
import { filesOf } from "./open-store.ts";

export async function copyRouter(copy: StoreCopy): Promise<readonly CopiedTable[]> {
  const copied = await routerStore.copy(copy);
  if (copied.length > 0) await copyFiles(copy);
  return copied;
}

async function copyFiles(copy: Pick<StoreCopy, "from" | "to">): Promise<void> {
  const [source, target] = [locationOf(copy.from), locationOf(copy.to)];
  await using from = await routerStore.open(source, { readOnly: true });
  await using to = await routerStore.open(target);
  const [read, written] = [filesOf(source, from), filesOf(target, to)];
  const rows = await from.db.selectFrom("head").select(["id", "sha256"]).where("sha256", "is not", null).execute();
  for (const { id, sha256 } of rows) {
    const key = { headId: id, sha256: sha256 ?? "" };
    const bytes = await read.get(key);
    if (bytes !== null) await written.write(key, bytes);
  }
}
