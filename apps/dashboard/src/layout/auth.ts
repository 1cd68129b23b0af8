/** Coming in and going out. */
import { queries } from "../api/queries.ts";
import { call } from "../api/call.ts";
import * as endpoints from "../api/endpoints.ts";
import { session } from "../api/session.ts";
import type { Account } from "@triptych/contracts";

/** Finds out, once, whether this browser is signed in. */
export async function askSession(): Promise<void> {
  const { body } = await call(endpoints.getSession, {});
  enter(body.account);
}

/** A one-time link that was used up does not sign out who is in already. */
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
  // Nothing of one account is ever shown to another.
  if ("accountId" in before && before.accountId !== account.id) queries.clear();
  queries.setQueryData(["account"], account);
  session.set({ kind: "in", accountId: account.id });
  void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "account" });
}

export async function signOut(everywhere: boolean): Promise<void> {
  await call(endpoints.logout, { body: { everywhere } });
  signOutLocally();
}

/** Nothing of the account stays in this tab: the back button finds sign-in. */
export function signOutLocally(): void {
  session.set({ kind: "out" });
  queries.clear();
}
