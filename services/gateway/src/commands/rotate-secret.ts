/**
 * Stored responses are bound to the client's idempotency key, which is not stored, so they cannot be re-encrypted. They
 * expire within days; until then, every key is tried to decrypt them.
 */
import { compactPrefix, keyIdOf, type Secrets } from "@triptych/encryption";
import { countSealed, type Resealed, type SealedCount, type StoreLocation } from "@triptych/storage";
import { gatewayStore } from "../store/migrations.ts";

export async function sealedValues(location: StoreLocation, secrets: Secrets): Promise<readonly SealedCount[]> {
  await using database = await gatewayStore.open(location, { readOnly: true });
  const prefixes = Object.fromEntries(secrets().map((secret) => [keyIdOf(secret), compactPrefix(keyIdOf(secret))]));
  const counted = await countSealed(database.db, { table: "answer", column: "sealed" }, prefixes);
  const last = await database.db
    .selectFrom("answer")
    .select(({ fn }) => fn.max("ends_at").as("at"))
    .executeTakeFirst();
  return [{ kind: "large responses", ...counted, expiresAt: last?.at ?? null }];
}

export function rotateStore(): Promise<Resealed> {
  return Promise.resolve({ changed: 0, failed: 0 });
}
