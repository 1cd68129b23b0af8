import { queries } from "../api/queries.ts";
import { call } from "../api/call.ts";
import * as endpoints from "../api/endpoints.ts";
import { session } from "../api/session.ts";
import type { Account } from "@triptych/contracts";

export async function askSession(): Promise<void> {
  const { body } = await call(endpoints.getSession, {});
  enter(body.account);
}

/** A used one-time link does not sign out the current user. */
export async function signInOnce(token: string): Promise<void> {
  const { body } = await call(endpoints.signInOnce, { body: { token } });
  enter(body.account);
}

export async function signIn(email: string, password: string): Promise<void> {
  const { body } = await call(endpoints.login, { body: { email, password } });
  enter(body.account);
}

function enter(account: Account): void {
  const before = session.get();
  // Clears the cache, because one account must never see the data of another.
  if ("accountId" in before && before.accountId !== account.id) queries.clear();
  queries.setQueryData(["account"], account);
  session.set({ kind: "in", accountId: account.id });
  void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "account" });
}

export async function signOut(everywhere: boolean): Promise<void> {
  await call(endpoints.logout, { body: { everywhere } });
  signOutLocally();
}

/** Clears the account's data, so that the back button shows sign-in. */
export function signOutLocally(): void {
  session.set({ kind: "out" });
  queries.clear();
}
