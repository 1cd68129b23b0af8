/** Encrypts the rail's stored values with the newest secret, while the rail is running. */
import { randomBytes } from "node:crypto";
import {
  compactPrefix,
  createKeyring,
  createRotatingSeal,
  keyIdOf,
  sealedPrefix,
  type Secrets,
} from "@triptych/encryption";
import { countSealed, type Resealed, resealRows, type SealedCount, type StoreLocation } from "@triptych/storage";
import { EMAIL_PURPOSE, rewrapEmail } from "../domain/email.ts";
import { NAMES_ABOUT, NAMES_PURPOSE } from "../domain/names-secret.ts";
import { KEY_PURPOSE } from "../domain/signing-keys.ts";
import { railStore } from "../store/migrations.ts";
import { KEY_DAYS } from "../store/purge-expired.ts";

const SIGNING_KEYS = { table: "signing_key", keys: ["kid"], column: "sealed" };
const EMAILS = { table: "wallet_owner", keys: ["wallet_id"], column: "email_sealed" };
const NAMES = { table: "installation", keys: ["single"], column: "names_sealed" };
const RESPONSES = { table: "response", column: "sealed" };
const DAY_MS = 86_400_000;

export async function sealedValues(location: StoreLocation, secrets: Secrets): Promise<readonly SealedCount[]> {
  await using database = await railStore.open(location, { readOnly: true });
  const { db } = database;
  const ids = secrets().map(keyIdOf);
  const prefixesOf = <T>(toPrefix: (id: string) => T) => Object.fromEntries(ids.map((id) => [id, toPrefix(id)]));
  const prefixes = prefixesOf(sealedPrefix);
  const last = await db
    .selectFrom("response")
    .select(({ fn }) => fn.max("created_at").as("at"))
    .executeTakeFirst();
  const at = last?.at ?? null;
  return [
    { kind: "signing keys", ...(await countSealed(db, SIGNING_KEYS, prefixes)) },
    {
      kind: "email addresses",
      ...(await countSealed(
        db,
        EMAILS,
        prefixesOf((id) => Buffer.from(sealedPrefix(id))),
      )),
    },
    { kind: "lookup key", ...(await countSealed(db, NAMES, prefixes)) },
    {
      kind: "responses of the gateway",
      ...(await countSealed(db, RESPONSES, prefixesOf(compactPrefix))),
      expiresAt: at === null ? null : at + KEY_DAYS * DAY_MS,
    },
  ];
}

export async function rotateStore(location: StoreLocation, secrets: Secrets): Promise<Resealed> {
  await using database = await railStore.open(location);
  const keyring = createKeyring(secrets);
  const sealFor = (purpose: string) => createRotatingSeal(keyring, purpose, randomBytes);
  const [keys, emails, names] = [sealFor(KEY_PURPOSE), sealFor(EMAIL_PURPOSE), sealFor(NAMES_PURPOSE)];
  const results = [
    await resealRows(database, {
      ...SIGNING_KEYS,
      prefix: keys.prefix(),
      reseal: ({ kid, sealed }) => keys.seal(keys.open(String(sealed), String(kid)), String(kid)),
    }),
    await resealRows(database, {
      ...EMAILS,
      prefix: Buffer.from(emails.prefix()),
      reseal: ({ wallet_id: id, email_sealed: sealed }) =>
        sealed instanceof Uint8Array ? rewrapEmail(emails, sealed, String(id)) : null,
    }),
    await resealRows(database, {
      ...NAMES,
      prefix: names.prefix(),
      reseal: ({ names_sealed: sealed }) => names.seal(names.open(String(sealed), NAMES_ABOUT), NAMES_ABOUT),
    }),
  ];
  return results.reduce((sum, { changed, failed }) => ({
    changed: sum.changed + changed,
    failed: sum.failed + failed,
  }));
}
