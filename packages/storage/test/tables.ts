/** The tables of these tests. */
import type { Generated } from "kysely";
import type { MigrationSource } from "../src/index.ts";

export interface Tables {
  account: {
    id: string;
    balance: Generated<number>;
    note: string | null;
    weight: number | null;
    seal: Uint8Array | null;
  };
  movement: { number: Generated<number>; account_id: string; amount: number };
  branch: { id: string; parent_id: string | null };
}

export const migrations: readonly MigrationSource[] = [
  { component: "bank", directory: new URL("./migrations/", import.meta.url) },
];

export function account(
  id: string,
  balance = 0,
): { id: string; balance: number; note: null; weight: null; seal: null } {
  return { id, balance, note: null, weight: null, seal: null };
}
