/** The caller and its permissions; checked after existence. */
import type { Scope } from "@triptych/contracts";
import { DomainError } from "../domain/domain-error.ts";
import type { AccountRecord, RunRecord, CheckRecord } from "../domain/records.ts";
import type { RunTokenScope } from "../domain/worker-tokens.ts";

export interface Caller {
  readonly account: AccountRecord;
  readonly scopes: readonly Scope[];
  /** A session's hash, CSRF token and expiry; null for an access token. */
  readonly session: { readonly hash: string; readonly csrf: string; readonly expiresAt: number } | null;
  /** For a run token: the only run that it opens. */
  readonly run?: { readonly scope: RunTokenScope; readonly run: RunRecord };
  /** For a check token: the check whose clone it opens. */
  readonly check?: { readonly owner: string; readonly check: CheckRecord };
}

/** A suspended account can read but not change. */
export function permit({ account, scopes }: Caller, scope: Scope, { changes }: { readonly changes: boolean }): void {
  if (!scopes.includes(scope)) throw new DomainError("scope_required", { members: { required_scope: scope } });
  if (changes && account.status === "suspended") throw new DomainError("account_suspended");
}

export const mayWrite = (caller: Caller) => permit(caller, "write", { changes: true });
export const mayRead = (caller: Caller) => permit(caller, "read", { changes: false });
