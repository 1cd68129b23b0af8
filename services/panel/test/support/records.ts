/** Initial rows: an account and its repo. */
import type { NewAccount } from "../../src/domain/repositories.ts";
import type { AccountRecord, RepoRecord } from "../../src/domain/records.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/repo-settings.ts";

export function accountRecord(id: string, plan: AccountRecord["plan"] = "pro"): AccountRecord {
  return { id, email: `${id}@example.test`, plan, status: "active", createdAt: 1 };
}

/** `mark`, a hexadecimal digit, makes its secrets unique. */
export function newAccount(account: AccountRecord, mark = "a"): NewAccount {
  const hash = mark.repeat(64);
  return {
    account,
    password: "hash",
    license: { hash, sealed: "sealed", generation: 1, rotatedAt: null },
    token: { id: `tok_${mark}`, name: "first", scopes: ["read", "write"], hash, createdAt: 1, expiresAt: null },
  };
}

export function repoRecord(more: Partial<RepoRecord> = {}): RepoRecord {
  const { id = "rep_1" } = more;
  return {
    id,
    url: `https://git.example.org/${id}.git`,
    canonical: `git.example.org/${id}`,
    name: id,
    provider: "github",
    status: "active",
    statusReason: null,
    defaultBranch: "main",
    settings: DEFAULT_SETTINGS,
    environment: {},
    aiPolicy: null,
    credentialKind: "none",
    sealedCredential: null,
    revision: 1,
    createdAt: 1,
    updatedAt: 1,
    ...more,
  };
}
