import type { StoreCheck, StoreLocation } from "@triptych/storage";
import { gatewayStore } from "./migrations.ts";

export async function checkStore(location: StoreLocation): Promise<StoreCheck> {
  await using database = await gatewayStore.open(location, { readOnly: true });
  const count = database.db.selectFrom("answer").select(({ fn }) => fn.countAll<number>().as("rows"));
  return { facts: { responses: (await count.executeTakeFirstOrThrow()).rows }, issues: [] };
}
