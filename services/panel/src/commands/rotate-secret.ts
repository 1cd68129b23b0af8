/** Re-encrypts the panel's stored values with the newest secret, while panels run. */
import { randomBytes } from "node:crypto";
import {
  createKeyring,
  createRotatingSeal,
  DecryptionError,
  keyIdOf,
  type RotatingSeal,
  sealedPrefix,
  type Secrets,
} from "@triptych/encryption";
import {
  countSealed,
  type Database,
  type Resealed,
  resealRows,
  type SealedCount,
  type SealedRow,
  type StoreLocation,
} from "@triptych/storage";
import { SEAL_PURPOSE } from "../compose/panel.ts";
import { aboutVariable, type StoredEnvironment } from "../domain/repo-environment.ts";
import { panelStore } from "../store/open-store.ts";
import type { PanelTables } from "../store/tables.ts";

const LICENSES = { table: "license_key", keys: ["owner"], column: "sealed" };
const CREDENTIALS = { table: "repo", keys: ["owner", "id"], column: "sealed_credential" };
const RESPONSES = { table: "idempotency", keys: ["owner", "key"], column: "answer" };
const SIGNING_KEYS = { table: "signing_key", keys: ["kid"], column: "sealed" };
const VARIABLES = { table: "repo", keys: ["owner", "id"], column: "environment" };

export async function sealedValues(location: StoreLocation, secrets: Secrets): Promise<readonly SealedCount[]> {
  await using database = await panelStore.open(location, { readOnly: true });
  const ids = secrets().map(keyIdOf);
  const prefixes = Object.fromEntries(ids.map((id) => [id, sealedPrefix(id)]));
  const { db } = database;
  return [
    { kind: "license keys", ...(await countSealed(db, LICENSES, prefixes)) },
    { kind: "repo credentials", ...(await countSealed(db, CREDENTIALS, prefixes)) },
    { kind: "repo variables", ...(await countVariables(database, prefixes)) },
    { kind: "signing keys", ...(await countSealed(db, SIGNING_KEYS, prefixes)) },
    { kind: "idempotent responses", ...(await countSealed(db, RESPONSES, prefixes)) },
  ];
}

async function countVariables({ db }: Database<PanelTables>, prefixes: Readonly<Record<string, string>>) {
  const rows = await db
    .selectFrom("repo")
    .select("environment")
    .where("environment", "like", '%"sealed":true%')
    .execute();
  const values = rows.flatMap(({ environment }) => sealedIn(JSON.parse(environment) as StoredEnvironment));
  const count = (prefix: string) => values.filter((value) => value.startsWith(prefix)).length;
  return {
    total: values.length,
    byKey: Object.fromEntries(Object.entries(prefixes).map(([id, prefix]) => [id, count(prefix)])),
  };
}

function sealedIn(environment: StoredEnvironment): string[] {
  return Object.values(environment).flatMap(({ value, sealed }) => (sealed ? [value] : []));
}

export async function rotateStore(location: StoreLocation, secrets: Secrets): Promise<Resealed> {
  await using database = await panelStore.open(location);
  const seal = createRotatingSeal(createKeyring(secrets), SEAL_PURPOSE, randomBytes);
  const prefix = seal.prefix();
  const again = (text: unknown, about: string) => seal.seal(seal.open(String(text), about), about);
  const lock = (tx: Tx, row: SealedRow) => lockAccount(tx, String(row["owner"]));
  const results = [
    await resealRows(database, {
      ...LICENSES,
      prefix,
      lock,
      reseal: (row) => again(row["sealed"], textOf(row, "owner")),
    }),
    await resealRows(database, {
      ...CREDENTIALS,
      prefix,
      lock,
      reseal: (row) => again(row["sealed_credential"], `${textOf(row, "owner")} ${textOf(row, "id")}`),
    }),
    await resealRows(database, {
      ...RESPONSES,
      prefix,
      lock,
      reseal: (row) => again(row["answer"], textOf(row, "owner")),
    }),
    await resealRows(database, {
      ...SIGNING_KEYS,
      prefix,
      reseal: (row) => again(row["sealed"], textOf(row, "kid")),
    }),
    await resealRows(database, { ...VARIABLES, prefix: null, lock, reseal: (row) => resealVariables(row, seal) }),
  ];
  return results.reduce((sum, { changed, failed }) => ({
    changed: sum.changed + changed,
    failed: sum.failed + failed,
  }));
}

function resealVariables(row: SealedRow, seal: RotatingSeal): string | null {
  const environment = JSON.parse(textOf(row, "environment")) as StoredEnvironment;
  const prefix = seal.prefix();
  if (sealedIn(environment).every((value) => value.startsWith(prefix))) return null;
  const entries = Object.entries(environment).map(([name, variable]) => {
    const about = aboutVariable(textOf(row, "owner"), textOf(row, "id"), name);
    const { value, sealed } = variable;
    return [name, sealed ? { value: seal.seal(seal.open(value, about), about), sealed } : variable];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

type Tx = Parameters<Parameters<Database<PanelTables>["transaction"]>[0]>[0];

/** Takes the lock of all account changes: one that has already read the row must not write the old value back. */
function lockAccount(tx: Tx, owner: string): Promise<unknown> {
  return tx
    .updateTable("account")
    .set((eb) => ({ revision: eb("revision", "+", 1) }))
    .where("owner", "=", owner)
    .execute();
}

function textOf(row: SealedRow, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new DecryptionError();
  return value;
}
