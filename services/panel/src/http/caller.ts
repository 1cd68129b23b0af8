/** Who calls, and whether they may: the step after existence. */
import type { Scope } from "@triptych/contracts";
import { DomainError } from "../domain/domain-error.ts";
import type { AccountRecord, RunRecord } from "../domain/records.ts";
import type { CheckRecord } from "../domain/repo-checks.ts";
import type { RunTokenScope } from "../domain/run-tokens.ts";

export interface Caller {
  readonly account: AccountRecord;
  readonly scopes: readonly Scope[];
  /** Of a session: its hash, the CSRF token that goes with it, and when it ends. Null for an access token. */
  readonly session: { readonly hash: string; readonly csrf: string; readonly expiresAt: number } | null;
  /** Of a run token: the one run that it opens, and nothing else. */
  readonly run?: { readonly scope: RunTokenScope; readonly run: RunRecord };
  /** Of a check token: the one check whose clone it opens. */
  readonly check?: { readonly owner: string; readonly check: CheckRecord };
}

/** Reading is allowed in a suspended account, changing is not. */
export function permit({ account, scopes }: Caller, scope: Scope, { changes }: { readonly changes: boolean }): void {
  if (!scopes.includes(scope)) throw new DomainError("scope_required", { members: { required_scope: scope } });
  if (changes && account.status === "suspended") throw new DomainError("account_suspended");
}

export const mayWrite = (caller: Caller) => permit(caller, "write", { changes: true });
export const mayRead = (caller: Caller) => permit(caller, "read", { changes: false });
